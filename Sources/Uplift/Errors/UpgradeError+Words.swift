extension UpgradeError: CustomStringConvertible {
  /// One clause: what was found, and then what was wanted.
  public var description: String {
    switch self {
    case .scriptName(let name): "\(quoted(name.file)): \(name.problem.words)"
    case .duplicate(let steps):
      "\(quoted(steps.first)) and \(quoted(steps.second)) have the same number, \(steps.version)"
    case .mixedNumbers(let steps):
      "\(quoted(steps.plain)) has a plain number and \(quoted(steps.dotted)) a dotted one"
    case .scriptText(let text): "\(text.file):\(text.line):\(text.column): \(text.problem.words)"
    case .targetNotShipped(let scripts): scripts.words
    case .gap(let gap):
      "the database is at \(gap.database), and no script leads to \(gap.seed), the version of the seed"
    case .seed(let seed): "the seed \(quoted(seed.file)) \(seed.problem.words)"
    case .seedNewer(let newer): "the seed is at \(newer.seed), the target is \(newer.target)"
    case .preparation(let preparation): preparation.words
    case .missing(let missing) where missing.resource == .backups:
      "\(missing.resource.words) \(quoted(missing.path)) cannot be made, "
        + "because the directory above it is not there"
    case .missing(let missing): "\(missing.resource.words) \(quoted(missing.path)) is not there"
    case .failed(let failure): failure.description
    case .disk(let disk): disk.failure?.description ?? "\(quoted(disk.path)): \(disk.words)"
    case .busy(let busy):
      "\(quoted(busy.path)) stayed busy" + (busy.reached.map { "; it is at \($0)" } ?? "")
    case .denied(let denial), .unreadable(let denial), .tooManyFiles(let denial):
      "\(quoted(denial.path)): \(denial.words)"
    case .readOnly(let database): "\(quoted(database.path)) has to be written and is read-only"
    case .path(let path): "\(quoted(path.path)) \(path.problem.words)"
    case .sqlite(let failure): "\(quoted(failure.path)): \(failure.words) (\(failure.code))"
    case .newer(let newer):
      "the database is at \(newer.database), newer than the target \(newer.target)"
    case .invalid(let database): "the database is at \(database.version), which is not a version"
    case .damaged(let file): "\(quoted(file.path)) \(file.problem.words)"
    case .unversioned(let database):
      "\(quoted(database.path)) has tables but no version, the seed is at \(database.seed)"
    case .foreign(let database):
      "\(quoted(database.path)) belongs to application \(database.applicationID), "
        + "not \(database.expected)"
    case .backup(let backup): "\(quoted(backup.path)) \(backup.problem.words)"
    case .orphaned(let orphaned): "\(quoted(orphaned.journal)) is there without its database"
    case .moved(let file): "\(quoted(file.path)) was replaced while it was open at \(file.reached)"
    case .cancelled(let cancelled):
      cancelled.reached.map { "cancelled; the database is at \($0)" }
        ?? "cancelled before the version of the database was known"
    }
  }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }

extension UpgradeError.Preparation {
  fileprivate var words: String {
    let end = reached.map { "; the database is at \($0)" } ?? ""
    return extensionPath.map { "the extension \(quoted($0)) cannot be loaded: \(reason)\(end)" }
      ?? "prepare failed: \(reason)\(end)"
  }
}

extension UpgradeError.TargetNotShipped {
  fileprivate var words: String {
    if let newest { return "there is no script \(target), the newest is \(newest)" }
    if let seed { return "the seed \(quoted(seed)) is at 0, and there is no script" }
    return isNothing
      ? "there is no script, and no seed with a version above 0"
      : "there is no script \(target), and no other script"
  }
}

extension UpgradeError.NameProblem {
  var words: String {
    switch self {
    case .noNumber: "the name does not begin with a number"
    case .notANumber(let text): "the name begins with \(quoted(text)), which is not a number"
    case .date: "the name begins with three numbers, as a date does, and only the first would count"
    case .goesDown: "the name says that the script undoes another"
    case .zero: "the number is 0, the first script is 1"
    case .tooLarge:
      "the number is larger than 2147483647, the largest that user_version holds"
    case .partTooLarge: "a part of the number is too large: the first goes to 2146, others to 99"
    case .notUTF8: "the name is not UTF-8"
    case .directory(let script): "a directory with \(quoted(script)) in it, not a script"
    case .onlyDirectory: "a directory, and there is no script beside it"
    }
  }
}

extension UpgradeError.TextProblem {
  var words: String {
    switch self {
    case .notUTF8: "bytes that are not UTF-8"
    case .utf16: "the text is UTF-16, not UTF-8"
    case .zeroByte: "a zero byte"
    case .loneCarriageReturn: "a carriage return without a line feed"
    case .unterminatedComment: "the comment that begins here has no end"
    case .unterminatedString: "the string that begins here has no end"
    case .unterminatedIdentifier: "the quoted name that begins here has no end"
    case .unterminatedTrigger: "the trigger that begins here has no END"
    case .noStatement: "there is neither a statement nor a comment"
    case .unfinished: "the script says that it is unfinished"
    case .statementTooLong: "the statement that ends here has more than 2147483647 bytes"
    case .tooLarge(let bytes): "there is not enough memory for its \(bytes) bytes"
    case .dotCommand(let command): "\(quoted(command)) is a command of the sqlite3 shell, not SQL"
    case .unknownDirective(let directive): "no directive is called \(quoted(directive))"
    case .lateDirective: "a directive after the first statement"
    case .conflictingDirectives: "the directives no-transaction and reads-seed exclude each other"
    case .notPrepared(let words): words
    case .refused(let statement): statement.words
    case .noSeed: "the script reads the seed, and there is none"
    case .otherSeed(let other):
      "the script reads the seed, and its number is \(other.script), not the seed's \(other.seed)"
    case .downSection(let comment): "\(quoted(comment)) begins statements that undo those above"
    case .notAFile: "this is not a file"
    case .notThere: "the file does not exist, or is a link to a file that does not exist"
    case .changed: "the file changed while it was read"
    }
  }
}

extension UpgradeError.FileProblem {
  package var words: String {
    switch self {
    case .empty: "is empty"
    case .notADatabase(let kind?): "is \(kind), not a database"
    case .notADatabase(nil): "is not a database"
    case .truncated(let size): "has \(size.bytes) bytes, not \(size.expected)"
    case .journalBeside(let journal): "has changes outside it, in \(quoted(journal))"
    case .malformed(let words): "is damaged: \(words)"
    case .notAFile: "is not a file"
    case .otherEncoding(let encodings):
      "is in \(encodings.seed) and the database in \(encodings.database): a script cannot read both"
    case .changed: "changed while it was read"
    }
  }
}

extension UpgradeError.PathProblem {
  var words: String {
    switch self {
    case .empty: "is an empty path"
    case .tooLong(let bytes): "is \(bytes) bytes long, SQLite takes 504"
    case .zeroByte: "has a zero byte"
    case .danglingLink(let target): "links to \(quoted(target)), which is not there"
    case .isDirectory: "is a directory, not a database"
    case .notAFile: "is not a file"
    case .parentNotADirectory(let parent): "lies in \(quoted(parent)), which is not a directory"
    case .linkLoop: "is a link that leads back to itself"
    case .nameTooLong: "has a name that is longer than the file system takes"
    case .directoryForJournal: "has a directory where SQLite puts its journal or its log"
    case .noWorkingDirectory: "begins in the working directory, which is not there any more"
    case .address: "is an address, not a path"
    case .isSeed: "is the seed itself"
    case .notUTF8: "is a directory whose path is not UTF-8"
    case .holdsSeed: "holds the seed, so no other database may lie there"
    case .holdsScripts: "holds the scripts, so no database may lie there"
    case .notADirectory: "is not a directory"
    case .holdsDatabase: "holds the database, so it cannot hold its backups"
    case .nested: "is already being upgraded, by the step that makes this call"
    }
  }
}

extension UpgradeError.Resource {
  var words: String {
    switch self {
    case .seed: "the seed"
    case .migrations: "the directory of scripts"
    case .database: "the database"
    case .backups: "the directory of backups"
    case .extension: "the extension"
    }
  }
}
