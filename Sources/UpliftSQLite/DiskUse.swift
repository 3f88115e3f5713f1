internal import CUpliftSQLite
internal import Synchronization

/// Counts what SQLite writes, and how much room its files take.
///
/// It counts the files of the connections that are opened with it. All of them must be closed
/// before this object is released.
package final class DiskUse: Sendable {
  /// The room that files take, in bytes.
  package struct Room: Hashable, Sendable {
    /// For the database and its journal.
    package var lasting: Int64 = 0
    /// For its log, and the shared memory beside it.
    package var log: Int64 = 0
    /// For temporary files, for example of a sort or of `VACUUM`.
    package var temporary: Int64 = 0

    package var all: Int64 { lasting + log + temporary }
  }

  /// What was counted.
  package struct Counts: Sendable {
    /// The bytes that were written to all files.
    package fileprivate(set) var written: Int64 = 0
    /// The bytes that were written to the log.
    package fileprivate(set) var logged: Int64 = 0
    /// The room that the files take now.
    package fileprivate(set) var room = Room()
    /// The most room that each kind of files took.
    package fileprivate(set) var most = Room()
    /// The most room that all but the temporary files took at one moment.
    package fileprivate(set) var mostWithoutTemporary: Int64 = 0
    /// The most room that all files took at one moment.
    package fileprivate(set) var mostOfAll: Int64 = 0
    fileprivate var sizes: [File: Int64] = [:]
  }

  /// The identity of a file.
  enum File: Hashable, Sendable {
    case lasting(path: [UInt8])
    case log(path: [UInt8])
    case temporary(number: Int)

    fileprivate var isLog: Bool {
      if case .log = self { true } else { false }
    }
  }

  private let counts = Mutex(Counts())
  private let growth = Mutex(Growth())
  private let hasRoom: @Sendable () -> Bool
  let fileSystem: CountingFileSystem

  /// How much the files have grown since `hasRoom` was called, and whether it has returned false.
  private struct Growth {
    var bytes = DiskUse.step
    var isOutOfRoom = false
  }

  /// How much the files grow before `hasRoom` is called again.
  private static let step = 1 << 18

  /// As soon as `hasRoom` returns false, no file may grow any more: SQLite finds the disk full.
  package init(hasRoom: @escaping @Sendable () -> Bool = { true }) throws(SQLiteError) {
    self.hasRoom = hasRoom
    fileSystem = try CountingFileSystem()
    fileSystem.register(countingInto: self)
  }

  deinit {
    fileSystem.unregister()
  }

  /// What was counted until now.
  package var now: Counts { counts.withLock { $0 } }

  /// Forgets the most room that was taken, and begins with what is taken now.
  package func forgetMost() {
    counts.withLock { counts in
      counts.most = counts.room
      counts.mostWithoutTemporary = counts.room.lasting + counts.room.log
      counts.mostOfAll = counts.room.all
    }
  }

  /// True if a piece that ends at `end` in the file may be written.
  func mayWrite(_ bytes: Int, endingAt end: Int64, to file: File) -> Bool {
    guard counts.withLock({ end > $0.sizes[file] ?? 0 }) else { return true }
    return growth.withLock { growth in
      growth.bytes += bytes
      if !growth.isOutOfRoom, growth.bytes >= Self.step {
        growth.bytes = 0
        growth.isOutOfRoom = !hasRoom()
      }
      return !growth.isOutOfRoom
    }
  }

  func wrote(_ bytes: Int, endingAt end: Int64, to file: File) {
    counts.withLock { counts in
      counts.written += Int64(bytes)
      if file.isLog { counts.logged += Int64(bytes) }
      counts.set(max(counts.sizes[file] ?? 0, end), for: file)
    }
  }

  func set(_ size: Int64, for file: File) {
    counts.withLock { $0.set(size, for: file) }
  }

  func removed(_ file: File) {
    counts.withLock { counts in
      counts.set(0, for: file)
      counts.sizes[file] = nil
    }
  }
}

extension DiskUse.Counts {
  /// The size of the shared memory beside a log of some size: 32 KiB for each 4096 pages, which have
  /// at least 512 bytes.
  private static func sharedMemory(_ log: Int64) -> Int64 {
    log == 0 ? 0 : (1 + (log >> 21)) << 15
  }

  fileprivate mutating func set(_ size: Int64, for file: DiskUse.File) {
    let change = size - (sizes[file] ?? 0)
    sizes[file] = size
    switch file {
    case .lasting: room.lasting += change
    case .log: room.log += change + Self.sharedMemory(size) - Self.sharedMemory(size - change)
    case .temporary: room.temporary += change
    }
    most.lasting = max(most.lasting, room.lasting)
    most.log = max(most.log, room.log)
    most.temporary = max(most.temporary, room.temporary)
    mostWithoutTemporary = max(mostWithoutTemporary, room.lasting + room.log)
    mostOfAll = max(mostOfAll, room.all)
  }
}
