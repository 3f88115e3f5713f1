internal import UpliftSQLite
internal import UpliftSystem
package import Uplift

/// Writes the next script of a directory, and never replaces a file.
package struct NewScript {
  private let directory: String
  private let upgrader: Upgrader
  private let released: String?

  /// `released` is the directory of the seeds of earlier releases; nil for `Released` beside the
  /// directory of the seed.
  package init(in directory: String, for upgrader: Upgrader, released: String? = nil) {
    (self.directory, self.upgrader, self.released) = (directory, upgrader, released)
  }

  /// Makes a file for the next script; somebody must fill it in before it can run.
  package func write(_ words: [String]) throws(UpgradeError) -> String {
    try NewFile.locked(Path(directory)) { () throws(UpgradeError) in
      let (style, catalog) = (try style(), try Catalog(of: upgrader.migrations))
      let version = try next(style, in: catalog)
      return try publish("-- uplift: unfinished\n", style.name(version, words), version)
    }
  }

  /// Writes a script that brings the seed's rows of some tables to existing databases.
  ///
  /// It has the number of the seed, or the next one if another step has that number. It is refused
  /// if a step is above the seed, because the seed may then have fewer columns than the database.
  package func write(
    refreshing tables: [String], overwrites: Bool = false,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(UpgradeError) -> String {
    guard let seed = upgrader.seed else { throw .noSeed }
    return try NewFile.locked(Path(directory)) { () throws(UpgradeError) in
      let scripts = try ShippedScripts(of: upgrader.migrations)
      if let other = scripts.readingSeed.first {
        throw UpgradeError(
          .scripts,
          "\(other.migration.path.quoted) reads the seed already, and only one script may",
          fix: "move it away, then name all tables that are to be refreshed")
      }
      let atSeed = try upgrader.seedHeader()?.version ?? .zero
      if let step = scripts.all.first(where: { $0.migration.version > atSeed })?.migration {
        throw UpgradeError(
          .scripts, "\(step.path.quoted) is above the seed, which is at \(atSeed)",
          fix: "run uplift bake first: the seed then has all columns")
      }
      let style = try style()
      let writer = ContentWriter(
        for: upgrader, released: released, isCancelled: isCancelled)
      let released = try writer.oldSeeds().last?.version ?? .zero
      let isFree = atSeed > released && !scripts.catalog.contains(atSeed)
      let version = isFree ? atSeed : try next(style, in: scripts.catalog)
      let (text, names) = try writer.text(
        refreshing: tables, in: seed, at: version, overwrites: overwrites)
      let words = names.prefix(3).map { name in
        String(name.shown.prefix(40).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      }
      return try publish(text, style.name(version, ["refresh"] + words), version)
    }
  }

  /// The style of the newest script of the directory.
  ///
  /// A step in the program has a number and a name, and no file whose name could be continued.
  private func style() throws(UpgradeError) -> ScriptStyle {
    ScriptStyle(newest: try Catalog(of: .directory(directory)).all.last?.name)
  }

  /// The number after the newest step, the seed, and the newest released version.
  private func next(_ style: ScriptStyle, in catalog: Catalog) throws(UpgradeError) -> Version {
    let seed = try upgrader.seedHeader()?.version ?? .zero
    let released = try Migrations.directory(directory).newestReleased()
    let latest = max(catalog.newest ?? .zero, seed, released)
    guard let next = style.next(after: latest, today: System.stamp()) else {
      throw .noNumberLeft(after: latest.written(like: catalog.newest ?? latest))
    }
    return next
  }

  /// Writes the file whole under a temporary name, and then gives the file its final name.
  private func publish(
    _ text: String, _ name: String, _ version: Version
  ) throws(UpgradeError) -> String {
    guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(where: { $0 < 0x20 }),
      ScriptName.version(of: name) == version
    else {
      throw .path(
        name, "is not a name for a script",
        fix: "use words of letters and digits; the first word must not begin with a digit")
    }
    let path = Path(directory).appending(name.utf8)
    try NewFile.write(Array(text.utf8), to: path)
    return path.shown
  }
}

/// The way in which a directory writes the names of its scripts: the digits of the number and the
/// separator after it.
package struct ScriptStyle: Hashable {
  enum Kind: Hashable {
    /// 1, 2, 3
    case count
    /// A date, and a count of two digits: `2017070101`.
    case date
    /// The number of a release: `1.4.2-1`.
    case dotted
  }

  let kind: Kind
  /// The least number of digits.
  let width: Int
  let separator: String

  /// The style of the newest script; that of `0001_words.sql` if there is none.
  package init(newest name: String?) {
    let (number, rest) = name.map { ScriptName.parts(of: $0) } ?? ("0001", "")
    let isDate = number.utf8.count == 10 && number.first != "0"
    kind = number.contains(".") ? .dotted : isDate ? .date : .count
    width = number.utf8.count
    separator = ["-", " "].first { rest.hasPrefix($0) } ?? "_"
  }

  /// The number of a new script, above `version`; nil if there is none.
  ///
  /// `today` begins with the date in eight digits. A new day begins with the count 1; without a
  /// day, a date is raised by 1, like any other number.
  func next(after version: Version, today: String?) -> Version? {
    let next = version.number == .max ? nil : Version(version.number + 1)
    switch kind {
    case .count: return next
    case .date:
      let first = today.flatMap { Version(String($0.prefix(8)) + "01") }
      return next.map { max($0, first ?? $0) }
    case .dotted:
      guard let next, next.number % 100 != 0 else { return nil }
      return next.written(like: version)
    }
  }

  /// The number in a file's name.
  func written(_ version: Version) -> String {
    if kind == .dotted, let release = Version(unchecked: version.number, isDotted: true).release {
      return release
    }
    let digits = String(version.number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }

  /// The file's name for a number and some words.
  func name(_ version: Version, _ words: [String]) -> String {
    ([written(version)] + words).joined(separator: separator) + ".sql"
  }
}
