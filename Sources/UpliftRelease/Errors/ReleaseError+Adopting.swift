public import Uplift

/// The facts of the errors of `adopt` and `verify`; each struct may get more of them later.
extension ReleaseError {
  /// Steps that fail in a scratch directory.
  public struct ScriptsFail: Hashable, Sendable {
    /// The error of the step.
    public let error: UpgradeError
    /// The database from which the steps started: the seed, or an empty one.
    public let start: String
    /// The target to which they do not lead.
    public let target: Version
  }

  /// A database with the schema of no version.
  public struct NotRecognised: Hashable, Sendable {
    /// The database.
    public let path: String
    /// The version that the database should have been; nil if it could be any.
    public let wanted: Version?
    /// The versions whose schemas have the fewest differences, in order.
    public let nearest: [Version]
    /// The differences to the last of these versions.
    public let differences: [ObjectDifference]
    /// The lowest version whose schema is known.
    public let lowestKnown: Version
  }

  /// A database with the schema of several versions.
  public struct SeveralVersions: Hashable, Sendable {
    /// The database.
    public let path: String
    /// The versions, in order.
    public let versions: [Version]
  }

  /// A database to which no version can be given.
  public struct NotAdopted: Hashable, Sendable {
    /// The database.
    public let path: String
    /// The reason.
    public let reason: Reason

    /// The reason why a database gets no version.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
      /// It has this version.
      case hasVersion(Version)
      /// It has no tables.
      case holdsNothing
      /// No step has run on it, and its version is 0.
      case isAtZero
    }
  }

  /// A version whose schema is not known.
  public struct UnknownVersion: Hashable, Sendable {
    /// The version.
    public let version: Version
    /// The target.
    public let target: Version
  }
}

/// The errors, made from their facts.
extension ReleaseError {
  package static func scriptsFail(
    _ error: UpgradeError, start: String, target: Version
  ) -> ReleaseError {
    .scriptsFail(ScriptsFail(error: error, start: start, target: target))
  }

  package static func notRecognised(
    path: String, wanted: Version?, nearest: [Version], _ differences: [ObjectDifference],
    lowestKnown: Version
  ) -> ReleaseError {
    .notRecognised(
      NotRecognised(
        path: path, wanted: wanted, nearest: nearest, differences: differences,
        lowestKnown: lowestKnown))
  }

  package static func severalVersions(path: String, _ versions: [Version]) -> ReleaseError {
    .severalVersions(SeveralVersions(path: path, versions: versions))
  }

  package static func hasVersion(_ path: String, _ version: Version) -> ReleaseError {
    .notAdopted(NotAdopted(path: path, reason: .hasVersion(version)))
  }

  package static func holdsNothing(path: String) -> ReleaseError {
    .notAdopted(NotAdopted(path: path, reason: .holdsNothing))
  }

  package static func needsNoVersion(path: String) -> ReleaseError {
    .notAdopted(NotAdopted(path: path, reason: .isAtZero))
  }

  package static func unknownVersion(_ version: Version, target: Version) -> ReleaseError {
    .unknownVersion(UnknownVersion(version: version, target: target))
  }
}

/// The words of these errors.
extension ReleaseError.ScriptsFail {
  /// The words of the step's error, without the version of the scratch database.
  var words: String {
    error.place == nil
      ? "the scripts do not lead from \(start) to \(target): \(error)"
      : "\(error.words); the scripts do not lead from \(start) to \(target)"
  }
}

extension ReleaseError.NotRecognised {
  var words: String {
    let has = wanted.map { "does not have the schema of \($0)" } ?? "has the schema of no version"
    var shown = differences.prefix(3).map { Self.shortened($0.description) }
      .joined(separator: ", ")
    if differences.count > 3 { shown += ", and \(differences.count - 3) more" }
    if wanted != nil { return "\"\(path)\" \(has): \(shown)" }
    let verb = nearest.count == 1 ? "is" : "are"
    return "\"\(path)\" \(has), the nearest \(verb) \(nearest.listed): \(shown)"
  }

  var remedy: String {
    let version = (wanted ?? nearest.last).map { "\($0)" } ?? "a version"
    // Two versions may differ in their rows, and only somebody who knows the database can tell them
    // apart.
    let change =
      wanted == nil && nearest.count > 1
      ? "find out which of \(nearest.listed) the database had, change the schema until it is that of "
        + "this version, then run uplift adopt --to N"
      : "change the schema until it is that of \(version), then run uplift adopt again"
    var ways: [String] = []
    if wanted == nil, lowestKnown > 1 {
      ways.append(
        "if the database is older than \(lowestKnown), name an older seed: "
          + "uplift adopt --database FILE --seed FILE --migrations DIR")
    }
    // Nobody should drop rows because of this message.
    if differences.allSatisfy(\.isExtra) {
      ways.append(
        "if the additional objects are to stay, look up the version of the release that used this "
          + "database, and set PRAGMA user_version in the database to that version")
    }
    guard !ways.isEmpty else { return change + "; or name the right database" }
    return (ways + ["otherwise " + change]).joined(separator: "; ")
  }

  /// The text, cut if it is long: a difference may show the definition of a view.
  private static func shortened(_ text: String) -> String {
    text.count > 120 ? "\(text.prefix(119))…" : text
  }
}

extension ReleaseError.SeveralVersions {
  var words: String {
    "\"\(path)\" has the schema of \(versions.listed)"
  }

  var remedy: String {
    versions.first == .zero
      ? "run uplift up if no script has run on it, or name its version: uplift adopt --to N"
      : "find out which one it is, then name it: uplift adopt --to N"
  }
}

extension ReleaseError.NotAdopted {
  var words: String {
    switch reason {
    case .hasVersion(let version): "\"\(path)\" is at \(version), and has not lost its version"
    case .holdsNothing: "\"\(path)\" holds nothing, so it has no version to find out"
    case .isAtZero: "\"\(path)\" is at 0 because no script has run on it"
    }
  }

  var remedy: String {
    switch reason {
    case .hasVersion: "uplift status --verify compares its schema with that of the version"
    case .holdsNothing: "run uplift up, which fills it"
    case .isAtZero: "run uplift up, which runs the scripts"
    }
  }
}

extension ReleaseError.UnknownVersion {
  var words: String {
    version > target
      ? "\(version) is above the target \(target)"
      : "neither the seed nor a script leads to \(version), so its schema is not known"
  }

  var remedy: String {
    version > target
      ? "name a version up to the target"
      : "ship the scripts that lead to it, or a seed of that version"
  }
}

extension [Version] {
  /// The versions in a message: `3`, `3 and 4`, `1, 2, … and 9`.
  fileprivate var listed: String {
    let words = map(\.description)
    guard let last = words.last, count > 1 else { return words.first ?? "" }
    let start = count > 6 ? words.prefix(3) + ["…"] : words.dropLast()
    return start.joined(separator: ", ") + " and \(last)"
  }
}
