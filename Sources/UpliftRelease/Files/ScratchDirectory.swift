internal import Uplift
internal import UpliftSystem

/// A directory for the files that a release tool works on; it is removed with all its files.
struct ScratchDirectory: ~Copyable {
  private let path: Path

  init() throws(ReleaseError) {
    let parent = System.temporaryDirectory
    path = try ReleaseError.at(parent) { () throws(SystemError) in
      try System.resolve(try System.makeScratchDirectory(in: parent))
    }
  }

  deinit {
    System.discardDirectory(path)
  }

  /// Removes a database and SQLite's files beside it.
  borrowing func discardDatabase(_ path: Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] { System.discard(path + suffix) }
  }

  /// The path of a file in it.
  borrowing func callAsFunction(_ name: String) -> Path { path.appending(name.utf8) }
}
