internal import UpliftSystem

/// What can be wrong with a directory of resources.
package enum ResourceDirectoryError: Error, Hashable, Sendable {
  case notThere(String)
  case notADirectory(String)
  case denied(String, words: String)
  case unreadable(String, words: String)
  case noSeed(String)
  /// The directory of scripts; `other` has its name, but for upper and lower case.
  case noMigrations(String, other: String?)
  /// The seed's name is not UTF-8, in which the command writes names.
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
