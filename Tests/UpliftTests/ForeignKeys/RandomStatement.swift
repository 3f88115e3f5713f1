/// A statement of a random case.
enum RandomStatement {
  case sql(String)
  case rename(String, to: String)
  case renameColumn(String, String, to: String)
  case legacy(Bool)

  var sql: String {
    switch self {
    case .sql(let sql): sql
    case .rename(let name, let new): "ALTER TABLE \(name.quoted) RENAME TO \(new.quoted)"
    case .renameColumn(let table, let name, let new):
      "ALTER TABLE \(table.quoted) RENAME COLUMN \(name.quoted) TO \(new.quoted)"
    case .legacy(let isOn): "PRAGMA legacy_alter_table=\(isOn ? "ON" : "OFF")"
    }
  }
}
