/// The definition of a table: all that follows the name in `CREATE TABLE`.
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
