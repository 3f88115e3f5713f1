internal import UpliftSQLite

/// The foreign-key checks of one upgrade, and what they have learned about old orphans.
///
/// Foreign keys are off while a step runs; each step is checked after it. Most scripts leave no
/// orphan, and then nothing has to be counted. If a script leaves some, it is undone and run again,
/// with a count of the orphans that were there before it.
final class ForeignKeyChecks {
  private let choice: Upgrader.ForeignKeyCheck
  private let deadline: Deadline
  /// The foreign keys that have orphans; these orphans are counted right before a statement first
  /// touches their tables.
  private var keysWithOrphans: Set<OldForeignKey> = []
  /// The keys among `keysWithOrphans` whose orphans are counted even before a script begins.
  private var keysCountedFirst: Set<OldForeignKey> = []

  init(_ choice: Upgrader.ForeignKeyCheck, deadline: Deadline) {
    self.choice = choice
    self.deadline = deadline
  }

  /// A check of the steps that run from now on, in the open transaction; nil if the options want
  /// none.
  func newCheck(_ connection: borrowing Connection) throws(SQLiteError) -> OrphanCheck? {
    guard choice != .none else { return nil }
    return try OrphanCheck(checksAll: choice == .all, deadline: deadline, connection)
  }

  /// Tells the check that a step begins.
  ///
  /// If the step cannot be undone and run again, the orphans of all keys are counted.
  func begin(
    _ check: OrphanCheck?, mayReplace: @escaping () -> Bool, canBeUndone: Bool,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let known: OrphanCheck.Counting = keysWithOrphans.isEmpty ? .none : .some(keysWithOrphans)
    try check?.begin(
      mayReplace: mayReplace, counting: canBeUndone ? known : .all, first: keysCountedFirst,
      connection)
  }

  /// From now on, orphans of these keys are counted right before a statement first touches their
  /// tables.
  ///
  /// If a key is passed for the second time, its orphans were not counted in time, because no
  /// statement named the tables at its ends. They are then counted before the script begins.
  func countFromNowOn(_ keys: Set<OldForeignKey>) {
    keysCountedFirst.formUnion(keys.intersection(keysWithOrphans))
    keysWithOrphans.formUnion(keys)
  }
}
