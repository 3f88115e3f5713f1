internal import Uplift
internal import UpliftSystem

/// Writes files that appear whole or not at all.
enum NewFile {
  /// Writes a file whose name must be free.
  static func write(_ bytes: [UInt8], to path: Path) throws(UpgradeError) {
    let file = try unnamed(bytes, for: path)
    do {
      try publish(file, as: path)
    } catch {
      System.discard(file)
      throw error
    }
  }

  /// Writes a file, and replaces the one that has its name.
  static func replace(_ path: Path, by bytes: [UInt8]) throws(UpgradeError) {
    let file = try unnamed(bytes, for: path)
    do {
      try replace(path, by: file)
    } catch {
      System.discard(file)
      throw error
    }
  }

  /// Gives a file its final name, and replaces the file that has this name.
  static func replace(_ path: Path, by file: Path) throws(UpgradeError) {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.replace(path, by: file)
      try sync(path.parent)
    }
  }

  /// Writes a file under a temporary name beside the name that it is to get.
  static func unnamed(_ bytes: [UInt8], for path: Path) throws(UpgradeError) -> Path {
    discardLeftovers(of: path)
    let temporary = path.parent.appending(TemporaryName(of: path.name).next())
    do throws(SystemError) {
      let file = try OpenFile.creating(temporary)
      _ = try file.writeAll(bytes) { false }
      try file.sync()
    } catch {
      System.discard(temporary)
      throw UpgradeError(error, at: path)
    }
    return temporary
  }

  /// Copies a file to a name that must be free.
  ///
  /// The copy appears whole or not at all. If an equal file has the name, nothing is done.
  static func copy(
    _ old: Path, to new: Path, isSynced: Bool = true, isCancelled: () -> Bool
  ) throws(UpgradeError) {
    let copy = try unnamedCopy(of: old, for: new, isSynced: isSynced, isCancelled: isCancelled)
    guard let copy else { return }
    do {
      try publish(copy, as: new, isSynced: isSynced)
    } catch {
      System.discard(copy)
      throw error
    }
  }

  /// Copies a file to a temporary name beside the name that the copy is to get.
  ///
  /// Returns the temporary name; nil if an equal file has the final name.
  static func unnamedCopy(
    of old: Path, for new: Path, isSynced: Bool = true, isCancelled: () -> Bool
  ) throws(UpgradeError) -> Path? {
    if try facts(new) != nil, try FileComparison.areEqual(old, new) { return nil }
    discardLeftovers(of: new)
    let temporary = new.parent.appending(TemporaryName(of: new.name).next())
    do throws(SystemError) {
      let source = try OpenFile.reading(old)
      let copy = try OpenFile.creating(temporary)
      guard try copy.copyAll(of: source, isStopped: isCancelled) else {
        throw SystemError.stopped
      }
      if isSynced { try copy.sync() }
    } catch {
      System.discard(temporary)
      if error == .stopped { throw .stopped }
      throw UpgradeError(error, at: new)
    }
    return temporary
  }

  /// Gives a file its final name, which must be free.
  static func publish(
    _ file: Path, as path: Path, isSynced: Bool = true
  ) throws(UpgradeError) {
    do throws(SystemError) {
      try System.publish(file, as: path)
      if isSynced { try sync(path.parent) }
    } catch {
      throw error.isTaken ? .taken(path.shown) : UpgradeError(error, at: path)
    }
  }

  /// Copies a seed to a name in a scratch directory.
  static func copy(
    _ seed: Seed, to new: Path, isCancelled: () -> Bool
  ) throws(UpgradeError) {
    switch seed.source {
    case .file(let path): try copy(path, to: new, isSynced: false, isCancelled: isCancelled)
    case .bytes(let bytes): try write(bytes, to: new)
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

  /// Removes what a process that was killed has left: a file that did not get its name, and the
  /// journal that SQLite had beside it.
  static func discardLeftovers(of path: Path) {
    let name = TemporaryName(of: path.name)
    let journal = Array("-journal".utf8)
    do {
      for other in try System.names(in: path.parent) {
        let isJournal = other.suffix(journal.count).elementsEqual(journal)
        guard name.matches(isJournal ? other.dropLast(journal.count) : other[...]) else { continue }
        System.discard(path.parent.appending(other))
      }
    } catch {
      return
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
  /// Locks a directory, and waits for a moment while another process works in it.
  ///
  /// A file system may have no locks; then nothing is locked.
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

extension SystemError {
  /// The program was asked to stop.
  fileprivate static let stopped = SystemError(code: 0)
}
