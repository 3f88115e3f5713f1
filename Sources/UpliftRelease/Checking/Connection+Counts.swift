internal import Uplift
internal import UpliftSQLite

extension Connection {
  borrowing func count(of table: Name) throws(SQLiteError) -> Int64 {
    let row = try prepare("SELECT count(*) FROM main.\(table)" as SQL)
    return try row.step() ? row.integer(0) : 0
  }

  /// The number of rows of a table, counted to a limit.
  borrowing func count(upTo limit: Int, of table: Name) throws(SQLiteError) -> Int64 {
    try count(upTo: limit, "FROM main.\(table)")
  }

  /// The number of rows of a query, counted to a limit; `query` begins with `FROM`.
  borrowing func count(upTo limit: Int, _ query: SQL) throws(SQLiteError) -> Int64 {
    let row = try prepare("SELECT count(*) FROM (SELECT 1 \(query) LIMIT \(limit))" as SQL)
    return try row.step() ? row.integer(0) : 0
  }
}
