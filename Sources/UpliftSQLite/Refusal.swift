/// Why the guard stopped a statement of a script.
package enum Refusal: Hashable, Sendable {
  /// `BEGIN`, `COMMIT` or `ROLLBACK`, other than one pair around the whole script.
  case transaction(String)
  /// `SAVEPOINT`, `RELEASE`, `ROLLBACK TO`.
  case savepoint
  /// Work after the `COMMIT` that ended the script's outermost transaction.
  case workAfterCommit
  case attach
  case detach
  case vacuumInto
  /// A pragma that no script may use, or not with a value.
  case pragma(String)
  /// A pragma that only a `no-transaction` script may use.
  case pragmaInTransaction(String)
}
