internal import UpliftSQLite

/// Tells whether a script may replace rows.
///
/// `REPLACE` deletes the rows that conflict with a new one, and SQLite does not report these
/// deletions to the authorizer. A statement can only replace rows if the word is in the script, or
/// in the definition of a table or a trigger.
final class RowReplacement {
  /// True if the word was in the schema at any time since the beginning, or in an earlier script: a
  /// script may have removed a table or trigger after it replaced a row.
  private var isInSchema: Bool
  /// Searches the script for the word.
  private var searchScript: () -> Bool = { false }
  /// The result of the search, so that a long script is searched only once; nil before the search.
  private var isInScript: Bool?

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    isInSchema =
      try connection.integer(
        """
        SELECT EXISTS (SELECT 1 FROM main.sqlite_master
          WHERE type IN ('table', 'trigger') AND instr(lower(sql), 'replace'))
        """) == 1
  }

  /// Begins a script; `searchScript` tells whether the word is in the script.
  func begin(searchScript: @escaping () -> Bool) {
    // The script before may have put the word into the schema.
    isInSchema = isPossible
    self.searchScript = searchScript
    isInScript = nil
  }

  /// True if the script may have replaced rows.
  var isPossible: Bool {
    if isInSchema { return true }
    if let isInScript { return isInScript }
    let answer = searchScript()
    isInScript = answer
    return answer
  }
}
