internal import UpliftSystem

/// An error in the directory of `--each`, or in one of its names.
package enum DatabaseDirectoryError: Error, Hashable, Sendable {
  // The directory itself; nothing was done.

  case notThere(String)
  case notADirectory(String)
  case denied(String, words: String)
  case unreadable(String, words: String)
  /// No name in it ends in `.db`.
  case noDatabase(String)

  // One name in the directory that ends in `.db`; the run goes on with the other names.

  case link(String, target: String)
  case directory(String)
  case notAFile(String)
  /// Two names of one file: SQLite would give each its own journal.
  case secondName(String, other: String)
}

extension DatabaseDirectoryError {
  init(_ error: SystemError, at directory: String) {
    if error.isNotThere {
      self = .notThere(directory)
    } else if error.isNotADirectory {
      self = .notADirectory(directory)
    } else if error.isDenied {
      self = .denied(directory, words: error.words)
    } else {
      self = .unreadable(directory, words: error.words)
    }
  }
}

extension DatabaseDirectoryError: CustomStringConvertible {
  /// One clause: what was found, and then what was wanted.
  package var description: String {
    switch self {
    case .notThere(let path): "the directory of databases \"\(path)\" is not there"
    case .notADirectory(let path): "\"\(path)\" is not a directory"
    case .denied(let path, let words), .unreadable(let path, let words): "\"\(path)\": \(words)"
    case .noDatabase(let path): "no file in \"\(path)\" ends in .db"
    case .link(let path, let target): "\"\(path)\" is a link to \"\(target)\", not a database"
    case .directory(let path): "\"\(path)\" is a directory, not a database"
    case .notAFile(let path): "\"\(path)\" is not a file"
    case .secondName(let path, let other):
      "\"\(path)\" and \"\(other)\" are two names of one file"
    }
  }

  /// One line that says what to do.
  package var remedy: String {
    switch self {
    case .notThere, .notADirectory: "name the directory of the databases with --each"
    case .noDatabase: "mount the volume, or name the directory of the databases with --each"
    case .denied: "give the service the right to read it"
    case .unreadable: "look at the disk, then start again"
    case .link: "links are not followed: upgrade the database itself, with --each or --database"
    case .directory, .notAFile: "move it away, or give it another ending"
    case .secondName: "remove one of the names: each would get a journal of its own"
    }
  }

  package var exit: ExitCode {
    switch self {
    case .notThere, .notADirectory, .noDatabase: .missing
    case .denied: .denied
    case .unreadable: .disk
    case .link, .directory, .notAFile, .secondName: .unusable
    }
  }
}
