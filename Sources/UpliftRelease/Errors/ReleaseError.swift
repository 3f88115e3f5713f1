public import Uplift

/// The error of every call of this module, such as `bake`, `check` and `rehearse`.
///
/// `description` puts the facts into one clause, and ``remedy`` says in one line what to do.
/// `ReleaseError+Words.swift` has the words.
@nonexhaustive
public enum ReleaseError: Error, Hashable, Sendable {
  /// An upgrade on a copy failed, a database was refused, or a file could not be read or written.
  case upgrade(UpgradeError)
  /// The seed is not a file, so it cannot be replaced.
  case noSeed
  /// The target is below the version of the seed.
  case targetBelowSeed(TargetBelowSeed)
  /// The seed is to get new content, and no script reads it: existing databases would not get it.
  case noSeedScript(seed: Version)
  /// The script that reads the seed would not have the number of the new seed.
  case contentNotBaked(ContentNotBaked)
  /// The step that reads the seed is in the program, so its number cannot be changed by Uplift.
  case seedStepInProgram(SeedStepInProgram)
  /// Two scripts read the seed; only one can have the number of the seed.
  case severalSeedScripts(SeveralSeedScripts)
  /// The new seed is damaged, or has rows whose foreign key leads nowhere; `words` say which.
  case unsound(words: String)
  /// A file is not what `bake` would write; nothing was changed.
  case outdated(Outdated)
  /// A file that would have to be replaced is there.
  case taken(path: String)
  /// A script that refreshes rows is to be made, and another script reads the seed already.
  case seedScriptExists(path: String)
  /// The directory for a new file is not there.
  case missingDirectory(path: String)
  /// A rehearsal has stopped on its copy; the database is as it was.
  case rehearsal(StoppedRehearsal)
  /// A rehearsal would fill a disk, so it was not begun, or was stopped.
  case noRoom(NoRoom)
  /// No number is left for a new script.
  case noNumberLeft(after: Version)
  /// The words do not make the name of a script.
  case wrongWords(name: String)
  /// A step is above the seed, so a script that refreshes rows from the seed might leave out
  /// columns.
  case stepAboveSeed(StepAboveSeed)
  /// A step is above the target and not above the number of the new content, so the new seed would
  /// never run it.
  case stepAboveTarget(StepAboveTarget)
  /// The seed has tables and the version 0, so all scripts would run on it, perhaps for the second
  /// time.
  case seedUnversioned(path: String)
  /// The seed has not run a step whose number is at or below its version.
  case stepNotInSeed(StepNotInSeed)
  /// The rows of a table cannot be refreshed from the seed.
  case table(WrongTable)
  /// The steps do not lead to the target, so the schemas of the versions are not known.
  case scriptsFail(ScriptsFail)
  /// The database does not have the schema of any version, or of the one that is wanted.
  case notRecognised(NotRecognised)
  /// The database has the schema of several versions.
  case severalVersions(SeveralVersions)
  /// The database needs no version, or has one, so none is written.
  case notAdopted(NotAdopted)
  /// Neither the seed nor a step leads to a version.
  case unknownVersion(UnknownVersion)
  /// A file of another tool cannot become a script; nothing was written.
  case importing(WrongImport)

  /// The reason why a script cannot refresh a table.
  @nonexhaustive
  public enum TableProblem: Hashable, Sendable {
    /// The seed has no table of this name.
    case notThere
    /// It is a virtual table; its rows come from another table, as a rule.
    case isVirtual
    /// Rows cannot be told apart without a primary key.
    case noPrimaryKey
    /// A row of the seed has NULL in its primary key, so it cannot be told from others.
    case nullInKey
    /// The name of the table or of a column is not UTF-8.
    case notUTF8
  }
}
