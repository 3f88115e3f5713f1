/// Why the guard stopped a statement of a script.
package enum Refusal: Hashable, Sendable {
  /// `ROLLBACK`, or a `BEGIN` or `COMMIT` that has no partner.
  case transaction(String)
  /// `SAVEPOINT`, `RELEASE`, `ROLLBACK TO`.
  case savepoint
  case attach
  case detach
  case vacuumInto
  /// A pragma that no script may use, or not with a value.
  case pragma(String)
  /// A pragma that only a `no-transaction` script may use.
  case pragmaInTransaction(String)
}
