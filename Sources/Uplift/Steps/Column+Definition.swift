internal import UpliftSQLite

extension Upgrader.Column {
  /// As it is written in `CREATE TABLE`.
  ///
  /// The primary key comes right before the constraint where there is nothing else, so that
  /// `AUTOINCREMENT` can follow it.
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

/// Everything after the name in `CREATE TABLE`.
struct TableDefinition {
  let sql: String

  init(sql: String) {
    self.sql = sql
  }

  init(_ columns: [Upgrader.Column], _ constraints: [String], isStrict: Bool, isWithoutRowID: Bool)
  {
    let lines = (columns.map(\.definition) + constraints).joined(separator: ",\n  ")
    let options = (isStrict ? ["STRICT"] : []) + (isWithoutRowID ? ["WITHOUT ROWID"] : [])
    sql = "(\n  \(lines)\n)" + (options.isEmpty ? "" : " " + options.joined(separator: ", "))
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

extension Upgrader.Database.Value {
  /// As SQL writes it; infinity as the sqlite3 shell does.
  var asLiteral: String {
    switch self {
    case .null: return "NULL"
    case .integer(let number): return "\(number)"
    case .real(let number) where number.isNaN: return "NULL"
    case .real(let number) where number.isInfinite: return number < 0 ? "-9e999" : "9e999"
    case .real(let number): return "\(number)"
    case .text(let text): return text.asText
    case .rawText(let bytes): return "(CAST(\(Self.blob(bytes)) AS TEXT))"
    case .blob(let bytes): return Self.blob(bytes)
    }
  }

  private static func blob(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    let pairs = bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "X'\(pairs.joined())'"
  }
}
