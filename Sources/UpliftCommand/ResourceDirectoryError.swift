internal import UpliftSystem

/// An error in the directory of `--resources`; the words for each are in a file of their own.
package enum ResourceDirectoryError: Error, Hashable, Sendable {
  case notThere(String)
  case notADirectory(String)
  case denied(String, words: String)
  case unreadable(String, words: String)
  case noSeed(String)
  /// There is no `Migrations`; `other` is an entry whose name differs only in upper and lower case.
  case noMigrations(String, other: String?)
  /// The name of the seed is not UTF-8, so the command cannot write it.
  case notUTF8(String)
  case severalSeeds(first: String, second: String)
}

extension ResourceDirectoryError {
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
