internal import UpliftSQLite

extension UpgradeError {
  /// One line that says what to do.
  public var remedy: String {
    switch self {
    case .scriptName(let name): name.problem.remedy(name.file)
    case .duplicate(let steps):
      isPair(steps.first, steps.second)
        ? "Uplift only goes forward: remove the script that goes down"
        : "give the script that is not released, and the later ones of its branch, new numbers above the "
          + "newest, in the same order; if there is a seed, take that of the released script's branch, "
          + "repeat in it what was changed by hand in the rows of the other one, and run uplift bake, "
          + "with --content if a script reads the seed"
    case .mixedNumbers: "use plain numbers or dotted ones, not both"
    case .scriptText(let text): text.problem.remedy
    case .targetNotShipped(let scripts) where scripts.seed != nil:
      "set PRAGMA user_version = 1 in the seed"
    case .targetNotShipped(let scripts) where scripts.isNothing:
      "ship the scripts or the seed, or correct their paths"
    case .targetNotShipped: "ship the script, or set the target to the newest"
    case .gap: "ship the scripts that lead to the seed's version"
    case .seed(let seed): seed.problem.remedyForSeed
    case .seedNewer: "raise the target, or ship a seed that is not above it"
    case .preparation(let preparation) where preparation.extensionPath == nil:
      "correct prepare: it adds collations, functions and modules, and writes nothing"
    case .preparation(let preparation) where preparation.reason == UpgradeError.noExtensions:
      "use an uplift whose SQLite can load extensions, or call Uplift as a library with prepare"
    case .preparation:
      "use an extension that is built for this machine and writes nothing; "
        + "a statically linked uplift may not be able to load any"
    case .missing(let missing): missing.resource.remedy
    case .failed(let failure): failure.remedy
    case .disk(let disk) where disk.failure?.lacksTemporaryDirectory == true:
      "set SQLITE_TMPDIR to a directory with free space that the service may write"
    case .disk: "look at the disk and its free space, then start again"
    case .busy: "find the program that holds the database, then start again or wait for longer"
    case .denied, .readOnly:
      "give the service the right to write it, and to write the directory that it lies in"
    case .unreadable:
      "give the service the right to read it, and to search the directories above it"
    case .tooManyFiles: "raise the limit of open files (ulimit -n, LimitNOFILE=), then start again"
    case .path(let path): path.problem.remedy(path.path)
    case .sqlite: "look the code up at sqlite.org/rescode.html"
    case .newer:
      "start the newer program, or restore a copy of the database from before its upgrade"
    case .invalid: "find out who set user_version, and set it to the right number"
    case .damaged(let damaged) where damaged.problem.isUnreadableSchema:
      "if a newer SQLite than \(Engine.version) has made it, use that one; otherwise \(Self.replace)"
    case .damaged: Self.replace
    case .unversioned:
      "uplift adopt finds out the version, which .dump and .clone do not copy"
    case .foreign(let foreign) where foreign.applicationID == 0:
      "if it is the right database, set PRAGMA application_id = \(foreign.expected) in it"
    case .foreign: "correct the path, or the seed's application_id"
    case .backup(let backup): backup.problem.remedy
    case .orphaned(let orphaned):
      "restore the database beside it; or, if nobody needs the journal's changes any more: "
        + "mv \"\(orphaned.journal)\" \"\(orphaned.journal).orphaned\""
    case .moved: "stop the process that replaced the file, then start again"
    case .cancelled: "start again to continue"
    }
  }

  private static let replace =
    "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
    + "or run uplift restore if there is a backup"

  /// True if other tools write the two scripts as a pair: `1_x.up.sql` and `1_x.down.sql`.
  private func isPair(_ first: String, _ second: String) -> Bool {
    ScriptName.isForGoingDown(first.utf8) || ScriptName.isForGoingDown(second.utf8)
  }
}

extension UpgradeError.Resource {
  fileprivate var remedy: String {
    switch self {
    case .seed: "ship the seed, or correct its path"
    case .migrations: "ship the scripts, or correct the path"
    case .database: "mount the volume or restore the database, then start again"
    case .backups: "make the directory above it, or correct the path"
    case .extension: "install the extension, or write its path with its ending, such as .so"
    }
  }
}

extension UpgradeError.NameProblem {
  fileprivate func remedy(_ file: String) -> String {
    switch self {
    case .goesDown:
      "Uplift only goes forward: leave the script out, or give it another name if it goes up"
    case .noNumber where ScriptName.isForGoingDown(file.utf8),
      .notANumber where ScriptName.isForGoingDown(file.utf8):
      "Uplift only goes forward: remove the script that goes down"
    case .notANumber: "rename it to NUMBER_WORDS.sql"
    case .noNumber where file.lowercased().hasSuffix(".up.sql"): "rename it to NUMBER_WORDS.sql"
    case .noNumber:
      "rename it to NUMBER_WORDS.sql, or give it another extension if it is not a script"
    case .zero:
      "number the scripts 1, 2, 3, …; 0 is the version of a database that no script has changed"
    case .date:
      "write a date and a two-digit count as in 2017070101, or begin the words with a letter"
    case .tooLarge: "use a smaller number; a date and a two-digit count fit, as in 2017070101"
    case .partTooLarge:
      "use smaller parts, or plain numbers: "
        + "each part after the first has two digits of user_version"
    case .notUTF8: "rename it in UTF-8"
    case .directory(let script): "move \(script) out of it, to NUMBER_WORDS.sql beside it"
    case .onlyDirectory: "put the scripts themselves beside it, each with a number"
    }
  }
}

extension UpgradeError.TextProblem {
  fileprivate var remedy: String {
    switch self {
    case .notUTF8, .utf16: "save the script as UTF-8"
    case .zeroByte: "remove the byte; SQLite would stop reading there"
    case .loneCarriageReturn: "save the script with LF or CRLF line ends"
    case .unterminatedComment: "end it with */, or look whether the file is cut short"
    case .unterminatedString, .unterminatedIdentifier:
      "close the quote, or look whether the file is cut short"
    case .unterminatedTrigger: "end it with END;, or look whether the file is cut short"
    case .noStatement: "remove the file, or write in a comment why the script is empty"
    case .unfinished: "write the script, and remove the line"
    case .statementTooLong, .tooLarge: "make several scripts of it"
    case .dotCommand: "write it in SQL"
    case .unknownDirective: "the directives are no-transaction, reads-seed and unfinished"
    case .lateDirective: "put it at the top of the script"
    case .conflictingDirectives:
      "remove one of them: a script that reads the seed is committed together with its version"
    case .notPrepared: "correct the statement; nothing has run"
    case .refused(let statement): statement.remedy
    case .noSeed: "name the seed, or remove the directive"
    case .otherSeed:
      "release the script with its own seed: uplift bake --content gives both the same number"
    case .downSection:
      "Uplift only goes forward: remove everything from here on, or change the comment if it has another meaning"
    case .notAFile: "remove it, or rename it to another extension"
    case .notThere: "ship the file, or start again when the deployment is complete"
    case .changed: "start again when the deployment is complete"
    }
  }
}

extension UpgradeError.FileProblem {
  fileprivate var remedyForSeed: String {
    switch self {
    case .journalBeside: "close the program that has the seed open, or VACUUM INTO a new seed"
    case .changed: "start again when the deployment is complete"
    case .otherEncoding: "make the seed again in the encoding of the databases in use"
    case .notADatabase("a pointer of Git LFS"?): "run git lfs pull before the seed is packed"
    default: "ship the seed again, as a whole SQLite database"
    }
  }
}

extension UpgradeError.PathProblem {
  fileprivate func remedy(_ path: String) -> String {
    switch self {
    case .empty, .zeroByte, .isDirectory, .notAFile: "name a file"
    case .tooLong: "use a shorter path"
    case .linkLoop: "make the link lead to a file"
    case .nameTooLong: "use a shorter name"
    case .directoryForJournal: "move away the directory whose name ends in -journal, -wal or -shm"
    case .noWorkingDirectory: "start in a directory that is there, or write a path from the root"
    case .address: "name a file; if it really has this name, write ./\(path)"
    case .notUTF8: "name a directory whose path is UTF-8; for temporary files, set TMPDIR"
    case .holdsSeed, .holdsScripts, .notADirectory: "name a directory that is used for nothing else"
    case .holdsDatabase: "name a directory that is used for nothing else"
    case .isSeed: "name another data directory: the seed is copied and never changed"
    case .danglingLink: "mount or restore the file that it links to, or remove the link"
    case .parentNotADirectory: "correct the path: each part before the last is a directory"
    case .nested: "remove the call: the steps after this one run when it has finished"
    }
  }
}
