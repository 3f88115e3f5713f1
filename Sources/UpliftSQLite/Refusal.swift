/// Why a statement of a script is refused.
///
/// ``ScriptGuard`` finds all of them but `parameter`, which only the prepared statement shows, and
/// `ownTable`, which is found at the end of a script.
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
  /// A pragma that no script may use or set, by its name in lower case.
  ///
  /// If only the value is refused, it follows: `journal_mode=off`.
  case pragma(String)
  /// A pragma that only a `no-transaction` script may use.
  ///
  /// SQLite ignores it inside a transaction.
  case pragmaInTransaction(String)
  /// A parameter, `?1` or `:name`: a script has no values, and SQLite would take `NULL`.
  case parameter(String)
  /// A statement that would change the seed, in a script that reads it.
  ///
  /// The table is empty if no table of the seed is named.
  case seedChange(table: String)
  /// A change of the schema, in a script that reads the seed: `CREATE TABLE words`.
  case schemaChange(String)
  /// A change of a virtual table, if one of the tables that hold its data has a trigger or an index
  /// on an expression.
  ///
  /// `has` is `trigger` or `index`, `name` is its name, and `of` is the virtual table.
  case ownTable(has: String, name: String, of: String)
}
