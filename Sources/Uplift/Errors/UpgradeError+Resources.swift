/// The facts of the errors about the scripts and the seed that ship with the program.
extension UpgradeError {
  /// A file of the directory of scripts, or a step, whose name does not give its number.
  public struct WrongName: Hashable, Sendable {
    /// The path of the file, or the name of the step and its line of Swift.
    public let file: String
    /// The problem of the name.
    public let problem: NameProblem
  }

  /// Two steps with the same number.
  ///
  /// A step is named by its path, or by its name and its line of Swift.
  public struct Duplicate: Hashable, Sendable {
    /// The number that both have.
    public let version: Version
    /// The step that comes first if the two are sorted by name.
    public let first: String
    /// The other step.
    public let second: String
  }

  /// A step with a plain number and a step with a dotted one, as an example of each kind.
  public struct MixedNumbers: Hashable, Sendable {
    /// A step with a plain number: its path, or its name and its line of Swift.
    public let plain: String
    /// A step with a dotted number: its path, or its name and its line of Swift.
    public let dotted: String
  }

  /// The place in a script where its text is wrong.
  public struct WrongText: Hashable, Sendable {
    /// The path of the script, or the name of a step in SQL.
    public let file: String
    /// The line, from 1; also 1 if the file as a whole is wrong.
    public let line: Int
    /// The column in that line, from 1; each character counts as one.
    public let column: Int
    /// The problem of the text.
    public let problem: TextProblem
  }

  /// A target that no step has as its number.
  public struct TargetNotShipped: Hashable, Sendable {
    /// The target.
    public let target: Version
    /// The highest number of a step; nil if there are no steps.
    public let newest: Version?
    /// The seed, if it is at version 0 and there are no steps; otherwise nil.
    public let seed: String?

    /// True if nothing ships at all: no step, and no seed with a version above 0.
    var isNothing: Bool { target == .zero && newest == nil }
  }

  /// A database and a seed without the steps from one to the other.
  public struct Gap: Hashable, Sendable {
    /// The version of the database.
    public let database: Version
    /// The version of the seed.
    public let seed: Version
  }

  /// A seed that cannot be copied.
  public struct WrongSeed: Hashable, Sendable {
    /// The path of the seed, or `bytes` for a seed in the program.
    public let file: String
    /// The problem of the file.
    public let problem: FileProblem
  }

  /// A seed that is newer than the target.
  public struct SeedNewer: Hashable, Sendable {
    /// The version of the seed.
    public let seed: Version
    /// The target.
    public let target: Version
  }

  /// A file or directory that does not exist.
  public struct Missing: Hashable, Sendable {
    /// What the file or directory is for.
    public let resource: Resource
    /// Its path.
    public let path: String
  }
}

/// The errors, made from their facts.
extension UpgradeError {
  package static func scriptName(file: String, _ problem: NameProblem) -> UpgradeError {
    .scriptName(WrongName(file: file, problem: problem))
  }

  package static func duplicate(
    _ version: Version, first: String, second: String
  ) -> UpgradeError {
    .duplicate(Duplicate(version: version, first: first, second: second))
  }

  package static func mixedNumbers(plain: String, dotted: String) -> UpgradeError {
    .mixedNumbers(MixedNumbers(plain: plain, dotted: dotted))
  }

  package static func scriptText(
    file: String, line: Int, column: Int, _ problem: TextProblem
  ) -> UpgradeError {
    .scriptText(WrongText(file: file, line: line, column: column, problem: problem))
  }

  package static func targetNotShipped(
    _ target: Version, newest: Version?, seed: String? = nil
  ) -> UpgradeError {
    .targetNotShipped(TargetNotShipped(target: target, newest: newest, seed: seed))
  }

  package static func gap(database: Version, seed: Version) -> UpgradeError {
    .gap(Gap(database: database, seed: seed))
  }

  package static func seed(file: String, _ problem: FileProblem) -> UpgradeError {
    .seed(WrongSeed(file: file, problem: problem))
  }

  package static func seedNewer(seed: Version, target: Version) -> UpgradeError {
    .seedNewer(SeedNewer(seed: seed, target: target))
  }

  package static func missing(_ resource: Resource, path: String) -> UpgradeError {
    .missing(Missing(resource: resource, path: path))
  }
}
