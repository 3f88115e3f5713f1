internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Findings without repetitions, each with the databases whose upgrades showed it.
struct FindingList {
  private var entries: [(finding: Finding, starts: [String])] = []
  private var indexes: [Finding: Int] = [:]

  mutating func add(_ findings: [Finding], from start: StartingPoint? = nil) {
    for finding in findings {
      let index = indexes[finding] ?? entries.count
      if index == entries.count {
        indexes[finding] = index
        entries.append((finding, []))
      }
      if let name = start?.name, !entries[index].starts.contains(name) {
        entries[index].starts.append(name)
      }
    }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The findings in the order in which they were found, without those that the scripts accept, and
  /// with those that they accept in vain.
  ///
  /// `released` are the paths of released scripts, which cannot be changed any more. `startCount` is
  /// the number of databases from which upgrades start.
  func check(
    _ scripts: [Script] = [], released: Set<String> = [], startCount: Int = 1
  ) -> Check {
    func accepts(_ script: Script, _ finding: Finding) -> Bool {
      // Schemas that differ have no script: the newest accepts them.
      let path =
        finding.kind == .schemaDiffers ? scripts.last?.migration.path : finding.place.file
      return finding.kind.isAcceptable && script.migration.path == path
        && script.accepted.contains(finding.kind.rawValue)
    }
    var findings = entries.filter { finding, _ in
      let isOpen = finding.kind.concernsReleased || !released.contains(finding.place.file)
      // The script fails on real rows in the same place.
      let isImplied =
        finding.kind == .failsOnRows
        && entries.contains { $0.finding.kind == .scriptFails && $0.finding.place == finding.place }
      return isOpen && !isImplied && !scripts.contains { accepts($0, finding) }
    }.map { finding, starts in
      Finding(
        kind: finding.kind, place: finding.place, words: finding.words, remedy: finding.remedy,
        startingPoints: starts.count == startCount || starts == [finding.place.file] ? [] : starts)
    }
    for script in scripts where !released.contains(script.migration.path) {
      for kind in script.accepted
      where !entries.contains(where: {
        $0.finding.kind.rawValue == kind && accepts(script, $0.finding)
      }) {
        findings.append(
          Finding(
            .acceptsNothing, in: script,
            "the script accepts \(kind), and no such thing is found",
            fix: "remove the word from the line that begins with -- uplift: accepts"))
      }
    }
    return Check(
      findings: findings.filter { $0.kind != .notTried },
      notTried: findings.filter { $0.kind == .notTried })
  }
}

extension Finding.Kind {
  /// True if it still matters after the release of its script, which cannot be changed any more.
  fileprivate var concernsReleased: Bool {
    switch self {
    case .scriptFails, .refused, .schemaDiffers, .danglingReference, .seedNumber, .lockFile,
      .scriptEdited, .scriptGone, .scriptInserted, .acceptsNothing:
      true
    default: false
    }
  }

  /// True if an author may mean it: a script that fails, or that was edited after its release, is
  /// mended.
  fileprivate var isAcceptable: Bool {
    !concernsReleased || self == .schemaDiffers || self == .danglingReference
  }
}

extension Finding {
  /// The words are put into one line; a constraint in SQLite's words may have several.
  init(_ kind: Kind, _ place: Place, _ words: String, fix remedy: String) {
    let lines = words.split(whereSeparator: \.isNewline)
    let rest = lines.dropFirst().map { $0.drop { $0 == " " || $0 == "\t" } }
    self.init(
      kind: kind, place: place, words: (lines.prefix(1) + rest).joined(separator: " "),
      remedy: remedy, startingPoints: [])
  }

  /// `offset` is that of a statement; nil if no single statement did it.
  init(
    _ kind: Kind, in script: Script, at offset: Int? = nil, _ words: String, fix remedy: String
  ) {
    self.init(kind, Place(in: script, at: offset), words, fix: remedy)
  }
}

extension Finding.Place {
  init(in script: Script, at offset: Int? = nil) {
    let found = offset.flatMap { script.place(ofStatementAt: $0) }
    self.init(
      file: script.migration.path, line: found?.line, column: found?.column,
      excerpt: found?.excerpt)
  }

  /// A whole file, such as a database.
  init(file: String) {
    self.init(file: file, line: nil, column: nil, excerpt: nil)
  }

  /// The place of an error in a script; nil if it is not about a script.
  init?(_ error: UpgradeError) {
    guard let place = error.place, error.kind != .disk else { return nil }
    self.init(
      file: place.source ?? place.file, line: place.line, column: place.column,
      excerpt: place.excerpt)
  }
}

extension UpgradeError {
  /// The words without the place of a script, which the finding has, and without the version of a
  /// scratch database.
  var wordsOfFinding: String { place?.source == nil ? message : words }
}
