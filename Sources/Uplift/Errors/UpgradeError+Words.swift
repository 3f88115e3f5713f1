extension UpgradeError: CustomStringConvertible {
  /// One clause: what was found, and then what was wanted.
  public var description: String {
    switch self {
    case .scriptName(let file, let problem): "\(quoted(file)): \(problem.words)"
    case .duplicate(let version, let first, let second):
      "\(quoted(first)) and \(quoted(second)) have one number, \(version)"
    case .mixedNumbers(let plain, let dotted):
      "\(quoted(plain)) has a plain number and \(quoted(dotted)) a dotted one"
    case .scriptText(let file, let line, let column, let problem):
      "\(file):\(line):\(column): \(problem.words)"
    case .targetNotShipped(let target, let newest?):
      "there is no script \(target), the newest is \(newest)"
    case .targetNotShipped(.zero, nil): "there is no script, and no seed with a version above 0"
    case .targetNotShipped(let target, nil): "there is no script \(target), nor any other"
    case .gap(let database, let seed):
      "the database is at \(database), and no script leads to \(seed), where the seed begins"
    case .seed(let file, let problem): "the seed \(quoted(file)) \(problem.words)"
    case .seedNewer(let seed, let target): "the seed is at \(seed), the target is \(target)"
    case .missing(let resource, let path): "\(resource.words) \(quoted(path)) is not there"
    case .failed(let failure): failure.description
    case .disk(let path, let words, nil): "\(quoted(path)): \(words)"
    case .disk(_, _, let failure?): failure.description
    case .busy(let path, let reached?):
      "\(quoted(path)) stayed busy; it is at \(reached)"
    case .busy(let path, nil): "\(quoted(path)) stayed busy"
    case .denied(let path, let words): "\(quoted(path)): \(words)"
    case .unreadable(let path, let words), .tooManyFiles(let path, let words):
      "\(quoted(path)): \(words)"
    case .readOnly(let path): "\(quoted(path)) has to be written and is read-only"
    case .path(let path, let problem): "\(quoted(path)) \(problem.words)"
    case .sqlite(let path, let code, let words): "\(quoted(path)): \(words) (\(code))"
    case .newer(let database, let target):
      "the database is at \(database), newer than the target \(target)"
    case .invalid(let version): "the database is at \(version), which is no version"
    case .damaged(let path, let problem): "\(quoted(path)) \(problem.words)"
    case .unversioned(let path, let seed):
      "\(quoted(path)) has tables but no version, the seed is at \(seed)"
    case .foreign(let path, let found, let expected):
      "\(quoted(path)) belongs to application \(found), not \(expected)"
    case .orphaned(let journal): "\(quoted(journal)) is there without its database"
    case .moved(let path, let reached):
      "\(quoted(path)) was replaced while it was open at \(reached)"
    case .cancelled(let reached?): "cancelled; the database is at \(reached)"
    case .cancelled(nil): "cancelled before the database was touched"
    }
  }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }

extension UpgradeError.NameProblem {
  var words: String {
    switch self {
    case .noNumber: "the name does not begin with a number"
    case .notANumber(let text, _): "the name begins with \(quoted(text)), which is not a number"
    case .date: "the name begins with three numbers, as a date does, and only the first would count"
    case .goesDown: "the name says that the script undoes another"
    case .zero: "the number is 0, the first script is 1"
    case .tooLarge: "the number is larger than 2147483647, all that user_version holds"
    case .partTooLarge: "a part of the number is too large: the first goes to 2146, others to 99"
    case .notUTF8: "the name is not UTF-8"
    case .directory(let script, _): "a directory with \(quoted(script)) in it, not a script"
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
    case .tooLarge(let bytes): "there is no memory for its \(bytes) bytes"
    case .dotCommand(let command): "\(quoted(command)) is a command of the sqlite3 shell, not SQL"
    case .unknownDirective(let directive): "no directive is called \(quoted(directive))"
    case .lateDirective: "a directive after the first statement"
    case .downSection(let comment): "\(quoted(comment)) begins statements that undo those above"
    case .notAFile: "this is not a file"
    case .notThere: "the file is not there, or links to one that is not"
    case .changed: "the file changed while it was read"
    }
  }
}

extension UpgradeError.FileProblem {
  var words: String {
    switch self {
    case .empty: "is empty"
    case .notADatabase(let kind?): "is \(kind), not a database"
    case .notADatabase(nil): "is not a database"
    case .truncated(let bytes, let expected): "has \(bytes) bytes where \(expected) belong"
    case .journalBeside(let journal): "has changes outside it, in \(quoted(journal))"
    case .malformed(let words): "is damaged: \(words)"
    case .notAFile: "is not a file"
    case .changed: "changed while it was copied"
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
    case .nested: "is being upgraded by the step that asks for its upgrade"
    }
  }
}

extension UpgradeError.Resource {
  var words: String {
    switch self {
    case .seed: "the seed"
    case .migrations: "the directory of scripts"
    case .database: "the database"
    }
  }
}
