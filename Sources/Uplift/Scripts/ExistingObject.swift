/// Recognises a statement that failed only because the object it creates already exists.
enum ExistingObject {
  /// True if SQLite's message says that the object already exists.
  ///
  /// The message is the only sign: `table t already exists` or `duplicate column name: c`. The
  /// statement's first words must fit the message, for two reasons. If a view has the name of a new
  /// table, SQLite says that the view exists; the table was not made, so the statement is not
  /// skipped. And `CREATE TABLE t (a, a)` also reports a duplicate column.
  ///
  /// Bytes are compared: a name may begin with a combining mark, which is one `Character` with the
  /// blank before it.
  static func isNamed(by message: String, in words: [String]) -> Bool {
    switch words.first {
    case "CREATE":
      guard let kind = words.first(where: kinds.contains) else { return false }
      return message.utf8.starts(with: (kind.lowercased() + " ").utf8)
        && message.hasSuffix(" already exists")
    case "ALTER": return message.utf8.starts(with: "duplicate column name: ".utf8)
    default: return false
    }
  }

  private static let kinds: Set<String> = ["TABLE", "INDEX", "VIEW", "TRIGGER"]
}
