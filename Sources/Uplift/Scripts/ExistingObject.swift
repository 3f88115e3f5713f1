/// Recognises a statement that failed only because the object it creates already exists.
enum ExistingObject {
  /// True if SQLite's message says that the object already exists.
  ///
  /// The message is the only sign: `table t already exists` or `duplicate column name: c`. The
  /// statement's first words must fit the message, for two reasons. If a view has the name of a new
  /// table, SQLite says that the view exists; the table was not made, so the statement is not
  /// skipped. And `CREATE TABLE t (a, a)` also reports a duplicate column.
  static func isNamed(by message: String, in words: [String]) -> Bool {
    switch words.first {
    case "CREATE":
      guard let kind = words.first(where: kinds.contains) else { return false }
      return message.hasPrefix(kind.lowercased() + " ") && message.hasSuffix(" already exists")
    case "ALTER": return message.hasPrefix("duplicate column name: ")
    default: return false
    }
  }

  private static let kinds: Set<String> = ["TABLE", "INDEX", "VIEW", "TRIGGER"]
}
