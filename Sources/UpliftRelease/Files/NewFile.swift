internal import Uplift
internal import UpliftSystem

/// Writes files that appear whole or not at all.
enum NewFile {
  /// Writes a file whose name must be free.
  static func write(
    _ bytes: [UInt8], to path: Path, syncsDirectory: Bool = true
  ) throws(UpgradeError) {
    try publish(try unnamed(bytes, for: path), as: path, isSynced: syncsDirectory)
  }

  /// Writes a file, and replaces the one that has its name.
  static func replace(_ path: Path, by bytes: [UInt8]) throws(UpgradeError) {
    try replace(path, by: try unnamed(bytes, for: path))
  }

  /// Gives a file its final name, and replaces the file that has this name.
  static func replace(_ path: Path, by file: Path) throws(UpgradeError) {
    do throws(SystemError) {
      try System.replace(path, by: file)
      try sync(path.parent)
    } catch {
      System.discard(file)
      throw UpgradeError(error, at: path)
    }
  }

  /// Copies a file to a name that must be free.
  ///
  /// The copy appears whole or not at all. If an equal file has the name, nothing is done.
  static func copy(
    _ old: Path, to new: Path, isSynced: Bool = true, isCancelled: () -> Bool
  ) throws(UpgradeError) {
    if try facts(new) != nil, try areEqual(old, new) { return }
    let copy = try unnamed(for: new, isSynced: isSynced) { copy throws(SystemError) in
      try copy.copyAll(of: try OpenFile.reading(old), isStopped: isCancelled)
    }
    try publish(copy, as: new, isSynced: isSynced)
  }

  /// Copies a seed to a name in a scratch directory.
  static func copy(_ seed: Seed, to new: Path, isCancelled: () -> Bool) throws(UpgradeError) {
    switch seed.source {
    case .file(let path): try copy(path, to: new, isSynced: false, isCancelled: isCancelled)
    case .bytes(let bytes): try write(bytes, to: new)
    }
  }

  private static func unnamed(_ bytes: [UInt8], for path: Path) throws(UpgradeError) -> Path {
    try unnamed(for: path) { file throws(SystemError) in try file.writeAll(bytes) { false } }
  }

  /// Makes a file under a temporary name beside the name that it is to get.
  ///
  /// `fill` returns false if it was asked to stop.
  private static func unnamed(
    for path: Path, isSynced: Bool = true,
    _ fill: (borrowing OpenFile) throws(SystemError) -> Bool
  ) throws(UpgradeError) -> Path {
    discardLeftovers(of: path)
    let temporary = path.parent.appending(TemporaryName(of: path.name).next())
    do throws(SystemError) {
      let file = try OpenFile.creating(temporary)
      if try fill(file) {
        if isSynced { try file.sync() }
        return temporary
      }
    } catch {
      System.discard(temporary)
      throw UpgradeError(error, at: path)
    }
    System.discard(temporary)
    throw .stopped
  }

  /// Gives a file its final name, which must be free.
  static func publish(_ file: Path, as path: Path, isSynced: Bool = true) throws(UpgradeError) {
    do throws(SystemError) {
      try System.publish(file, as: path)
      if isSynced { try sync(path.parent) }
    } catch {
      System.discard(file)
      throw error.isTaken ? .taken(path.shown) : UpgradeError(error, at: path)
    }
  }

  /// Throws if a database cannot get this name: a file has it, or a journal is beside it.
  static func refuseTaken(_ path: Path) throws(UpgradeError) {
    if try facts(path) != nil { throw .taken(path.shown) }
    try JournalFiles.refuse(beside: path)
  }

  static func facts(_ path: Path) throws(UpgradeError) -> FileFacts? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }

  /// True if two files have the same bytes.
  static func areEqual(_ one: Path, _ other: Path) throws(UpgradeError) -> Bool {
    try UpgradeError.at(other) { () throws(SystemError) in
      let first = try OpenFile.reading(one)
      let second = try OpenFile.reading(other)
      guard try first.facts().size == second.facts().size else { return false }
      let size = 1 << 18
      let left = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      let right = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
      defer {
        left.deallocate()
        right.deallocate()
      }
      while true {
        let count = try first.read(into: left)
        guard try second.read(into: right) == count, left.begins(as: right, count: count)
        else { return false }
        if count < size { return true }
      }
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

  /// Syncs a directory, so that a new name in it survives a power cut.
  static func sync(_ directory: Path) throws(SystemError) {
    do {
      try OpenFile.directory(directory).sync()
    } catch  where error.isUnsupported {
      return
    }
  }
}

extension OpenFile {
  /// Opens a directory, and locks it as long as the result is kept.
  ///
  /// It waits for a moment while another process works in it. A file system may have no locks; then
  /// nothing is locked.
  borrowing func waitForLock(_ path: Path) throws(UpgradeError) {
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
