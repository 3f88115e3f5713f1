internal import Uplift
internal import UpliftSystem

/// Writes files that appear whole or not at all, and survive a power cut.
enum NewFile {
  /// Writes a file; without `replaces`, its name must be free.
  static func write(
    _ bytes: [UInt8], to path: Path, replaces: Bool = false
  ) throws(UpgradeError) {
    let file = try unnamed(for: path) { file throws(SystemError) in
      try file.writeAll(bytes) { false }
    }
    try publish(file, as: path, replaces: replaces)
  }

  /// Copies a file to a name that must be free.
  static func copy(_ old: Path, to new: Path, isCancelled: () -> Bool) throws(UpgradeError) {
    let copy = try unnamed(for: new) { copy throws(SystemError) in
      try copy.copyAll(of: try OpenFile.reading(old), isStopped: isCancelled)
    }
    try publish(copy, as: new)
  }

  /// Makes a file under a temporary name beside the name that it is to get.
  ///
  /// `fill` returns false if it was asked to stop.
  private static func unnamed(
    for path: Path, _ fill: (borrowing OpenFile) throws(SystemError) -> Bool
  ) throws(UpgradeError) -> Path {
    discardLeftovers(of: path)
    let temporary = path.parent.appending(TemporaryName(of: path.name).next())
    do throws(SystemError) {
      let file = try OpenFile.creating(temporary)
      if try fill(file) {
        try file.sync()
        return temporary
      }
    } catch {
      System.discard(temporary)
      throw UpgradeError(error, at: path)
    }
    System.discard(temporary)
    throw .stopped
  }

  /// Gives a file its final name; after an error, the file is gone.
  ///
  /// Without `replaces`, the name must be free.
  static func publish(
    _ file: Path, as path: Path, replaces: Bool = false
  ) throws(UpgradeError) {
    do {
      try replaces ? System.replace(path, by: file) : System.publish(file, as: path)
    } catch {
      System.discard(file)
      throw error.isTaken ? .taken(path.shown) : UpgradeError(error, at: path)
    }
    do {
      try path.parent.syncDirectory()
    } catch {
      if !replaces { System.discard(path) }
      throw error
    }
  }

  /// True if two files have the same bytes.
  static func areEqual(_ one: Path, _ other: Path) throws(UpgradeError) -> Bool {
    try UpgradeError.at(other) { () throws(SystemError) in
      try OpenFile.reading(one).hasSameBytes(as: try OpenFile.reading(other))
    }
  }

  /// Removes what a process that was killed has left: a file that did not get its name, and the
  /// journal that SQLite had beside it.
  static func discardLeftovers(of path: Path) {
    let name = TemporaryName(of: path.name)
    do {
      for other in try System.names(in: path.parent) {
        let isJournal = other.suffix(8).elementsEqual("-journal".utf8)
        guard name.matches(other.dropLast(isJournal ? 8 : 0)) else { continue }
        System.discard(path.parent.appending(other))
      }
    } catch {
      // They stay.
    }
  }

  /// Does some work in a directory while no other release tool works there.
  ///
  /// Without the lock, each of two writers would take the other's new file for a leftover. It waits
  /// for five seconds.
  static func locked<Result>(
    _ path: Path, _ work: () throws(UpgradeError) -> Result
  ) throws(UpgradeError) -> Result {
    let directory: OpenFile
    do {
      directory = try OpenFile.directory(path)
    } catch {
      let isMissing = error.isNotThere || error.isNotADirectory
      throw isMissing ? .missingDirectory(path.shown) : UpgradeError(error, at: path)
    }
    try directory.waitForLock(path)
    return try work()
  }
}

extension OpenFile {
  /// A file system may have no locks; then nothing is locked.
  fileprivate borrowing func waitForLock(_ path: Path) throws(UpgradeError) {
    for _ in 0..<100 {
      do {
        if try lock() { return }
      } catch {
        guard error.isUnsupported else { throw UpgradeError(error, at: path) }
        return
      }
      System.sleep(milliseconds: 50)
    }
    throw .busy(path.shown)
  }
}
