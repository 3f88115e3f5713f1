internal import Uplift

extension ReleaseError: CustomStringConvertible {
  /// One clause: what was found, and then what was wanted.
  public var description: String {
    switch self {
    case .upgrade(let error) where error.kind == .cancelled: "cancelled, and no file was changed"
    // The upgrade ran on a copy, so its version says nothing about the database.
    case .upgrade(let error): error.words
    case .noSeed: "no seed is given as a file"
    case .targetBelowSeed(let versions):
      "the target is \(versions.target), below the seed's \(versions.seed)"
    case .noSeedScript(let seed): "no script reads the seed, which is at \(seed)"
    case .contentNotBaked(let content):
      "\(quoted(content.script)) reads the seed and has the number \(content.number), "
        + "but the seed would be at \(content.seed)"
    case .seedStepInProgram(let step):
      "the step \(quoted(step.name)) reads the seed, and the new seed would be at \(step.number)"
    case .severalSeedScripts(let scripts):
      "\(quoted(scripts.first)) and \(quoted(scripts.second)) both read the seed"
    case .unsound(let words): "the new seed is not sound: \(words)"
    case .outdated(let file): "\(quoted(file.path)) is not what \(file.command) would write"
    case .taken(let path): "\(quoted(path)) is there already"
    case .seedScriptExists(let path):
      "\(quoted(path)) reads the seed already, and only one script may"
    case .missingDirectory(let path): "the directory \(quoted(path)) is not there"
    case .rehearsal(let stopped): stopped.error.words(onCopyOf: stopped.database)
    case .noRoom(let room): room.words
    case .noNumberLeft(let version): "no number is left after \(version)"
    case .wrongWords(let name): "\(quoted(name)) is not a name for a script"
    case .stepAboveSeed(let above):
      "\(quoted(above.step)) is above the seed, which is at \(above.seed)"
    case .stepAboveTarget(let above):
      "\(quoted(above.step)) is above the target \(above.target), and the new content would come after it"
    case .seedUnversioned(let path):
      "the seed \(quoted(path)) has tables and the version 0: no script has run on it, or it has lost its version"
    case .stepNotInSeed(let missing):
      "the seed is at \(missing.seed) and has not run \(quoted(missing.step))"
    case .table(let table): "\(quoted(table.name)) \(table.problem.words)"
    case .scriptsFail(let failure): failure.words
    case .notRecognised(let database): database.words
    case .severalVersions(let database): database.words
    case .notAdopted(let database): database.words
    case .unknownVersion(let unknown): unknown.words
    case .importing(let file): file.words
    }
  }

  /// One line that says what to do.
  public var remedy: String {
    switch self {
    case .upgrade(let error) where error.kind == .cancelled: "start again"
    case .upgrade(let error) where error.kind == .denied:
      "get the right to write the file and its directory"
    case .upgrade(let error): error.remedy
    case .noSeed:
      "name the file with --seed, and the scripts with --migrations; "
        + "bake --empty --output FILE makes a first seed"
    case .targetBelowSeed:
      "name a later target, or begin with --empty and write the database with --output"
    case .noSeedScript: "uplift new --refresh TABLE writes the script"
    case .contentNotBaked: "add --content, which gives the seed and this script the next number"
    case .seedStepInProgram(let step):
      "give the step the number \(step.number), then bake again"
    case .severalSeedScripts: "put both into one script, with the number of the seed"
    case .unsound: "correct the seed or the scripts, then bake again"
    case .outdated(let file) where file.isReadByScript:
      "if its rows have changed, run \(file.command) --content, otherwise \(file.command)"
    case .outdated(let file) where file.isSchema: "run \(file.command) with the same --schema"
    case .outdated(let file): "run \(file.command)"
    case .taken: "move it away, or name another"
    case .seedScriptExists: "add the tables to that script"
    case .missingDirectory: "make it, or correct the path"
    case .rehearsal(let stopped): stopped.error.remedyOnCopy
    case .noRoom(let room) where room.isTemporary:
      "set SQLITE_TMPDIR to a directory on a disk with more room"
    case .noRoom: "use --in to name a directory on a disk with more room"
    case .noNumberLeft: "name the script yourself, with a number for the next release"
    case .wrongWords:
      "use words of letters and digits; the first word must not begin with a digit"
    case .stepAboveSeed: "run uplift bake first: the seed then has all columns"
    case .stepAboveTarget: "raise the target, or leave it out"
    case .seedUnversioned:
      "if scripts have run on it, set PRAGMA user_version in it to the number of the last one; "
        + "otherwise leave the seed as it is: a new database is a copy of it, and runs all scripts"
    case .stepNotInSeed: Self.remedyForStepNotInSeed
    case .table(let table): table.problem.remedy
    case .scriptsFail(let failure): failure.error.remedy
    case .notRecognised(let database): database.remedy
    case .severalVersions(let database): database.remedy
    case .notAdopted(let database): database.remedy
    case .unknownVersion(let unknown): unknown.remedy
    case .importing(let file): file.problem.remedy
    }
  }

  /// All scripts that another branch made must run, also those below the one that was found, and no
  /// script may run again.
  ///
  /// So nobody runs scripts on the seed with sqlite3: `bake` runs those that are above its version.
  static let remedyForStepNotInSeed =
    "if the script is released, take the seed of its branch, and repeat in it what was changed by hand "
    + "in the rows of this one; otherwise give each script that the seed has not run a new number, above the newest, in "
    + "the same order; then run uplift bake, with --content if a script reads the seed"

  /// The name of the case, which is also the `kind` in the command's JSON.
  public var kind: String {
    switch self {
    case .upgrade(let error): error.kind.rawValue
    case .noSeed: "noSeed"
    case .targetBelowSeed: "targetBelowSeed"
    case .noSeedScript: "noSeedScript"
    case .contentNotBaked: "contentNotBaked"
    case .seedStepInProgram: "seedStepInProgram"
    case .severalSeedScripts: "severalSeedScripts"
    case .unsound: "unsound"
    case .outdated: "outdated"
    case .taken: "taken"
    case .seedScriptExists: "seedScriptExists"
    case .missingDirectory: "missingDirectory"
    case .rehearsal(let stopped): stopped.error.kind.rawValue
    case .noRoom: "noRoom"
    case .noNumberLeft: "noNumberLeft"
    case .wrongWords: "wrongWords"
    case .stepAboveSeed: "stepAboveSeed"
    case .stepAboveTarget: "stepAboveTarget"
    case .seedUnversioned: "seedUnversioned"
    case .stepNotInSeed: "stepNotInSeed"
    case .table: "table"
    case .scriptsFail: "scriptsFail"
    case .notRecognised: "notRecognised"
    case .severalVersions: "severalVersions"
    case .notAdopted: "notAdopted"
    case .unknownVersion: "unknownVersion"
    case .importing: "importing"
    }
  }

  /// The exit code for a program that stops because of this error.
  public var exitCode: Int32 {
    switch self {
    case .upgrade(let error): error.exitCode
    case .noSeed, .missingDirectory, .unknownVersion: 66
    case .rehearsal(let stopped): stopped.error.exitCode
    case .noRoom: 74
    case .notRecognised, .severalVersions, .notAdopted: 78
    case .taken, .wrongWords: 64
    case .table(let table) where table.problem == .notThere: 64
    case .importing(let file) where file.problem == .isTarget: 64
    default: 65
    }
  }
}

extension ReleaseError.WrongImport {
  /// Begins with the place in the text if there is one.
  fileprivate var words: String {
    guard let line, let column else { return "\(quoted(file)) \(problem.words)" }
    return "\(file):\(line):\(column): \(problem.words)"
  }
}

extension ReleaseError.Outdated {
  /// The command that would write the file.
  fileprivate var command: String { beginsEmpty ? "uplift bake --empty" : "uplift bake" }
}

extension ReleaseError.NoRoom {
  fileprivate var words: String {
    guard let copy else {
      return "stopped, because a rehearsal leaves \(reserve.asBytes) to other programs, "
        + "and \(quoted(directory)) has less than that free"
    }
    return "a copy needs \(copy.asBytes), "
      + "and \(reserve.asBytes) must stay free for other programs; "
      + "\(quoted(directory)) has only \((free ?? 0).asBytes) free"
  }
}

extension ReleaseError.TableProblem {
  fileprivate var words: String {
    switch self {
    case .notThere: "is not a table of the seed"
    case .isVirtual: "is a virtual table"
    case .noPrimaryKey: "has no primary key, so its rows cannot be told apart"
    case .nullInKey:
      "has rows with NULL in their primary key, which cannot be told from others"
    case .notUTF8: "is a name that is not UTF-8, or has a column with such a name"
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .notThere: "name a table that the seed has"
    case .isVirtual: "name the table that its rows come from; triggers fill the virtual table"
    case .noPrimaryKey: "rebuild the table with a primary key, or write the script by hand"
    case .nullInKey: "declare the key NOT NULL, or write the script by hand"
    case .notUTF8: "write the script by hand"
    }
  }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }

extension Int64 {
  /// A number of bytes for people, as `12.4 MB`.
  package var asBytes: String {
    var value = self
    var rest: Int64 = 0
    var unit = "bytes"
    for next in ["kB", "MB", "GB", "TB"] where value >= 1000 {
      rest = value % 1000 / 100
      value /= 1000
      unit = next
    }
    return unit == "bytes" ? "\(value) bytes" : "\(value).\(rest) \(unit)"
  }
}
