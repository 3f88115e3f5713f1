internal import Uplift
internal import UpliftSystem

/// A directory for the files that a release tool works on; it is removed with all its files.
struct ScratchDirectory: ~Copyable {
  private let path: Path

  /// `parent` is the directory to make it in; if it is nil, the directory of temporary files.
  init(in parent: String? = nil) throws(UpgradeError) {
    path = try Self.make(in: parent)
  }

  private static func make(in parent: String?) throws(UpgradeError) -> Path {
    let directory = parent.map { Path($0) } ?? System.temporaryDirectory
    let path: Path
    do {
      path = try System.resolve(try System.makeScratchDirectory(in: directory))
    } catch {
      if error.isNotADirectory { throw .notADirectory(directory.shown) }
      guard error.isNotThere, let parent else {
        throw UpgradeError(error, at: directory)
      }
      throw .missingDirectory(parent)
    }
    // Uplift passes the paths of databases in it as text. If the bytes were not UTF-8, the text
    // would name another file.
    guard String(validating: path.bytes, as: UTF8.self) != nil else {
      System.discardDirectory(path)
      throw .path(
        directory.shown, "is a directory whose path is not UTF-8",
        fix: "name a directory whose path is UTF-8; for temporary files, set TMPDIR")
    }
    return path
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
