internal import UpliftSQLite

extension Upgrader.Column {
  /// The column as `CREATE TABLE` and `ALTER TABLE … ADD COLUMN` write it.
  ///
  /// Without a reference, `PRIMARY KEY` stands directly before the constraint, so the constraint
  /// can be `AUTOINCREMENT`.
  var definition: String {
    var parts = [name.asName, kind.declaration]
    if isNotNull { parts.append("NOT NULL") }
    if isUnique { parts.append("UNIQUE") }
    if let defaultValue { parts.append("DEFAULT \(defaultValue.sql)") }
    if isPrimaryKey { parts.append("PRIMARY KEY") }
    if let parent { parts.append("REFERENCES \(parent.asName)") }
    if !constraint.isEmpty { parts.append(constraint) }
    return parts.joined(separator: " ")
  }
}

extension Upgrader.Column.Kind {
  fileprivate var declaration: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .any: "ANY"
    case .declared(let sql): sql
    }
  }
}
