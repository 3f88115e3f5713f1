/// Why a statement of a script is refused.
///
/// ``ScriptGuard`` finds all of them but `parameter`, which only the prepared statement shows.
package enum Refusal: Hashable, Sendable {
  /// `ROLLBACK`, or a `BEGIN` or `COMMIT` without a partner.
  case transaction(String)
  /// `SAVEPOINT`, `RELEASE` or `ROLLBACK TO`.
  case savepoint
  /// `ATTACH`.
  case attach
  /// `DETACH`.
  case detach
  /// `VACUUM INTO`.
  case vacuumInto
  /// A pragma that no script may use or set, by its name in lower case.
  ///
  /// If only the value is refused, it follows: `journal_mode=off`.
  case pragma(String)
  /// A pragma that only a `no-transaction` script may use.
  ///
  /// SQLite ignores it inside a transaction.
  case pragmaInTransaction(String)
  /// A statement of a `no-transaction` script that is neither `VACUUM` nor one of the pragmas for it.
  case notAlone
  /// A parameter, `?1` or `:name`: a script has no values, and SQLite would take `NULL`.
  case parameter(String)
  /// A statement that would change the seed, in a script that reads it.
  ///
  /// The table is empty if no table of the seed is named.
  case seedChange(table: String)
  /// A change of the schema, in a script that reads the seed: `CREATE TABLE words`.
  case schemaChange(String)
}
