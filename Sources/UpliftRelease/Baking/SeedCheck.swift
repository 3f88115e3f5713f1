internal import Synchronization
internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Checks that a database is whole and that every foreign key leads to a row, while it is packed.
///
/// `VACUUM INTO` copies tables and indexes as they are, so the copy is as sound as the database.
/// The check takes as long as the copy, so it runs on a thread of its own.
final class SeedCheck: Sendable {
  private let database: Path
  private let prepare: Upgrader.Prepare?
  private let isStopped = Atomic(false)

  init(of database: Path, prepare: Upgrader.Prepare?) {
    self.database = database
    self.prepare = prepare
  }

  /// Does some work while the check runs, and throws the error of either.
  func during(_ work: () throws(UpgradeError) -> Void) throws(UpgradeError) {
    let check = BackgroundWork { self.result() }
    do {
      try work()
    } catch {
      isStopped.store(true, ordering: .relaxed)
      // What is wrong with the database explains why it could not be packed.
      if case .failure(let fault) = check.wait(), fault.kind == .seed { throw fault }
      throw error
    }
    try check.wait().get()
  }

  private func result() -> Result<Void, UpgradeError> {
    do throws(UpgradeError) {
      let connection = try SeedConnection.openCopy(
        database, prepare: prepare, isCancelled: { self.isStopped.load(ordering: .relaxed) })
      try check(connection)
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  private func check(_ connection: borrowing Connection) throws(UpgradeError) {
    do throws(SQLiteError) {
      // Without it each look-up of an index would be a call of the system.
      try connection.run("PRAGMA mmap_size = 2147418112")
      if let words = try connection.damage(foundBy: "integrity_check") { throw unsound(words) }
      let orphans = try connection.prepare(
        "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check")
      guard try orphans.step() else { return }
      let (table, parent) = (orphans.name(0)?.shown ?? "", orphans.name(2)?.shown ?? "")
      let row = orphans.isNull(1) ? "a row" : "row \(orphans.integer(1))"
      throw unsound("\(row) of \(table) refers to a row of \(parent) that is not there")
    } catch {
      // The seed is not at fault.
      if [.interrupted, .inputOutput, .full, .noMemory].contains(error.code.primary) {
        throw UpgradeError(error, at: database.shown)
      }
      throw UpgradeError(
        .seed, "the new seed is not sound: \(error.message)",
        fix: "correct the seed or the scripts, then bake again")
    }
  }

  private func unsound(_ words: String) -> SQLiteError {
    SQLiteError(code: .corrupt, message: words)
  }
}
