import CUpliftSQLite

/// The check of a script's text accepts any bytes, or says where they are wrong.
///
/// In a text that the check accepts, SQLite finds only whole statements.
func fuzzText(_ start: UnsafePointer<UInt8>, _ count: Int) {
  let migration = Migration.sql(2, "2.sql", "")
  let made = ScriptBytes.make(capacity: count) { buffer in
    buffer.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
    return count
  }
  guard let bytes = made else { return demand(false, "no memory") }
  do {
    let script = try Script(migration, file: "2.sql", bytes: bytes)
    bytes.withText { text in
      // After an additional semicolon every statement is complete.
      let whole = String(cString: text + bytes.textStart) + "\n;"
      demand(sqlite3_complete(whole) == 1, "an unfinished script was taken")
    }
    _ = script.runsAlone
  } catch {
    guard case .scriptText(let text) = error else {
      demand(false, "\(error)")
      return
    }
    demand(text.line >= 1 && text.column >= 1, "there is no such place")
    _ = error.description
  }
}
