internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Keeps other programs from writing the old seed while the new one takes its name.
///
/// A program that has the old file open keeps that file. In rollback mode, SQLite refuses to begin
/// a write in a file that has lost its name, so it is enough that no write is in progress. In WAL
/// mode, SQLite would go on writing the log, which has its name from the seed, and the new seed
/// would take that log for its own. So no other program may have such a seed open. Only a session
/// with `journal_mode=MEMORY` or `OFF` goes on writing the old file without an error.
///
/// While the seed is held, this process must not open and close its file in another way, because
/// that would drop SQLite's locks.
struct HeldSeed: ~Copyable {
  private let path: Path
  private let identity: FileFacts.Identity
  private let connection: Connection

  /// Takes the locks; throws if another program still has the seed after some seconds.
  ///
  /// `facts` are those of the file that the new seed was made from.
  init(
    _ path: Path, facts: FileFacts, patience: Duration, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let deadline = Deadline(patience: min(patience, .seconds(5)), isCancelled: isCancelled)
    let connection: Connection
    do {
      connection = try Self.locked(path, deadline)
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
    // A program that was killed may have left its last changes in the log.
    let log = try NewFile.facts(path + "-wal")
    let isLogEmpty = log == nil || log?.size == 0
    guard isLogEmpty, try NewFile.facts(path) == facts else {
      throw .changedSeed(path.shown)
    }
    self.path = path
    identity = facts.identity
    self.connection = connection
  }

  private static func locked(
    _ path: Path, _ deadline: Deadline
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path: path.bytes, access: .readWrite, deadline: deadline)
    // A user who may not write the file needs no lock: SQLite could not take it.
    if !connection.isReadOnly {
      try connection.useOwnMemoryForLog()
      try connection.run("BEGIN IMMEDIATE")
    }
    return connection
  }

  /// Puts the new seed in the place of the old one.
  ///
  /// SQLite's locks do not keep a program from giving the name to another file (`mv`).
  consuming func replace(by built: Path) throws(UpgradeError) {
    guard try NewFile.facts(path)?.identity == identity else {
      throw .changedSeed(path.shown)
    }
    // The log is empty: this connection has made it, or a program that was killed has left it.
    // SQLite would not remove it, because the file loses its name.
    if !connection.isReadOnly {
      connection.keepLog()
      System.discard(path + "-wal")
      System.discard(path + "-shm")
    }
    try NewFile.replace(path, by: built)
  }
}
