/// Tells a statement that makes what is there already from one that fails otherwise.
enum ExistingObject {
  /// True when SQLite's words, the only sign there is, are about what the statement makes.
  ///
  /// They are `table t already exists` or `duplicate column name: c`. It has to be of the same
  /// kind: a view in the place of a table is no table, and `CREATE TABLE t (a, a)` repeats a
  /// column too.
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
