/// Why the guard refused a statement of a script.
package enum Refusal: Hashable, Sendable {
  /// `ROLLBACK`, or a `BEGIN` or `COMMIT` without a partner, except in a `no-transaction` script.
  case transaction(String)
  /// `SAVEPOINT`, `RELEASE` or `ROLLBACK TO`, except in a `no-transaction` script.
  case savepoint
  /// `ATTACH`.
  case attach
  /// `DETACH`.
  case detach
  /// `VACUUM INTO`.
  case vacuumInto
  /// A pragma that no script may use, or that no script may set.
  case pragma(String)
  /// A pragma that only a `no-transaction` script may use.
  case pragmaInTransaction(String)
}
