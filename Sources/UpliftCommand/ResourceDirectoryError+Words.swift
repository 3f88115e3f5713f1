extension ResourceDirectoryError: CustomStringConvertible {
  /// One clause: what was found, and then what was wanted.
  package var description: String {
    switch self {
    case .notThere(let directory): "\"\(directory)\" is not there"
    case .notADirectory(let directory): "\"\(directory)\" is not a directory"
    case .denied(let directory, let words), .unreadable(let directory, let words):
      "\"\(directory)\": \(words)"
    case .noSeed(let directory):
      "\"\(directory)\" has no seed, a file that ends in .db, .sqlite or .sqlite3"
    case .noMigrations(let path, nil): "the directory of scripts \"\(path)\" is not there"
    case .noMigrations(let path, let other?):
      "the directory of scripts \"\(path)\" is not there, \"\(other)\" is"
    case .notUTF8(let seed): "the name of the seed \"\(seed)\" is not UTF-8"
    case .severalSeeds(let first, let second):
      "\"\(first)\" and \"\(second)\" could each be the seed"
    }
  }

  /// One line that says what to do.
  package var remedy: String {
    switch self {
    case .notThere, .notADirectory:
      "name the directory of the seed and the scripts with --resources"
    case .denied: "give the service the right to read it"
    case .unreadable: "look at the disk, then start again"
    case .noSeed: "ship the seed, or name the database with --database to begin with an empty one"
    case .noMigrations(_, nil): "ship the scripts in it; if there are none, ship it empty"
    case .noMigrations(_, _?): "rename the directory; its name begins with an upper-case M"
    case .notUTF8: "give it another name"
    case .severalSeeds:
      "ship one of them, or name it with --seed, together with --resources"
    }
  }

  package var exit: ExitCode {
    switch self {
    case .notThere, .notADirectory, .noSeed, .noMigrations: .missing
    case .denied: .denied
    case .unreadable: .disk
    case .severalSeeds, .notUTF8: .resources
    }
  }
}
