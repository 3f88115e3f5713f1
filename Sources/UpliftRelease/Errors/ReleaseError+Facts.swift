public import Uplift

/// The facts of the errors; each struct may get more of them in a later release.
extension ReleaseError {
  /// A target below the seed.
  public struct TargetBelowSeed: Hashable, Sendable {
    /// The version that was asked for.
    public let target: Version
    /// The version of the seed.
    public let seed: Version
  }

  /// A script that reads the seed, and a seed that would have another number.
  public struct ContentNotBaked: Hashable, Sendable {
    /// The path of the script.
    public let script: String
    /// The number of the script.
    public let number: Version
    /// The version that the new seed would have.
    public let seed: Version
  }

  /// A step of the program that reads the seed.
  public struct SeedStepInProgram: Hashable, Sendable {
    /// The name of the step.
    public let name: String
    /// The number that the step needs.
    public let number: Version
  }

  /// Two scripts that read the seed.
  public struct SeveralSeedScripts: Hashable, Sendable {
    /// The path of the script with the lower number.
    public let first: String
    /// The path of the other script.
    public let second: String
  }

  /// A file that is not what `bake` would write.
  public struct Outdated: Hashable, Sendable {
    /// The path of the seed, or of the file with the schema.
    public let path: String
    /// True for the file with the schema.
    public let isSchema: Bool
    /// True for a seed that a script reads; if its rows have changed, it needs a new number.
    public let isReadByScript: Bool
    /// True if the seed is made from an empty database.
    public let beginsEmpty: Bool
  }

  /// A step that the seed does not have yet.
  public struct StepAboveSeed: Hashable, Sendable {
    /// The path of the script, or the name of the step in the program.
    public let step: String
    /// The version of the seed.
    public let seed: Version
  }

  /// A step that the target leaves out, and that new content would come after.
  public struct StepAboveTarget: Hashable, Sendable {
    /// The path of the script, or the name of the step in the program.
    public let step: String
    /// The target.
    public let target: Version
  }

  /// A step that the seed has not run, although the step is not above it.
  public struct StepNotInSeed: Hashable, Sendable {
    /// The path of the script, or the name of the step in the program.
    public let step: String
    /// The version of the seed.
    public let seed: Version
  }

  /// A table whose rows cannot be refreshed.
  public struct WrongTable: Hashable, Sendable {
    /// The name as it was given.
    public let name: String
    /// The problem of the table.
    public let problem: TableProblem
  }

  /// A rehearsal that has stopped.
  public struct StoppedRehearsal: Hashable, Sendable {
    /// The error on the copy; its version is that of the copy.
    public let error: UpgradeError
    /// The database, which is as it was.
    public let database: String
  }

  /// A disk with too little room for a rehearsal.
  public struct NoRoom: Hashable, Sendable {
    /// The directory for the copy, or the one of temporary files.
    public let directory: String
    /// The bytes that a rehearsal leaves to other programs.
    public let reserve: Int64
    /// The bytes that the copy needs; nil if the rehearsal was stopped while it ran.
    public let copy: Int64?
    /// The bytes that are free; nil if the system does not say it.
    public let free: Int64?
    /// True if it is the directory of SQLite's temporary files, and the copy is elsewhere.
    public let isTemporary: Bool
  }

  /// A file or directory of another tool that cannot be imported.
  public struct WrongImport: Hashable, Sendable {
    /// The path.
    public let file: String
    /// The line, from 1; nil if it is not the text that is wrong.
    public let line: Int?
    /// The column in that line, from 1; each character counts as one.
    public let column: Int?
    /// The problem.
    public let problem: ImportProblem
  }
}

/// The errors, made from their facts.
extension ReleaseError {
  package static func targetBelowSeed(target: Version, seed: Version) -> ReleaseError {
    .targetBelowSeed(TargetBelowSeed(target: target, seed: seed))
  }

  package static func contentNotBaked(
    script: String, number: Version, seed: Version
  ) -> ReleaseError {
    .contentNotBaked(ContentNotBaked(script: script, number: number, seed: seed))
  }

  package static func seedStepInProgram(name: String, number: Version) -> ReleaseError {
    .seedStepInProgram(SeedStepInProgram(name: name, number: number))
  }

  package static func severalSeedScripts(first: String, second: String) -> ReleaseError {
    .severalSeedScripts(SeveralSeedScripts(first: first, second: second))
  }

  package static func outdated(
    path: String, isSchema: Bool = false, isReadByScript: Bool = false, beginsEmpty: Bool = false
  ) -> ReleaseError {
    .outdated(
      Outdated(
        path: path, isSchema: isSchema, isReadByScript: isReadByScript, beginsEmpty: beginsEmpty))
  }

  package static func stepAboveSeed(_ step: String, seed: Version) -> ReleaseError {
    .stepAboveSeed(StepAboveSeed(step: step, seed: seed))
  }

  package static func stepAboveTarget(_ step: String, target: Version) -> ReleaseError {
    .stepAboveTarget(StepAboveTarget(step: step, target: target))
  }

  package static func stepNotInSeed(_ step: String, seed: Version) -> ReleaseError {
    .stepNotInSeed(StepNotInSeed(step: step, seed: seed))
  }

  package static func table(name: String, _ problem: TableProblem) -> ReleaseError {
    .table(WrongTable(name: name, problem: problem))
  }

  package static func rehearsal(_ error: UpgradeError, of database: String) -> ReleaseError {
    .rehearsal(StoppedRehearsal(error: error, database: database))
  }

  package static func noRoom(
    directory: String, reserve: Int64, copy: Int64?, free: Int64?, isTemporary: Bool = false
  ) -> ReleaseError {
    .noRoom(
      NoRoom(
        directory: directory, reserve: reserve, copy: copy, free: free, isTemporary: isTemporary))
  }

  package static func importing(
    file: String, line: Int? = nil, column: Int? = nil, _ problem: ImportProblem
  ) -> ReleaseError {
    .importing(WrongImport(file: file, line: line, column: column, problem: problem))
  }
}
