import CUpliftSQLite
import UpliftSystem

/// The check of a script's text accepts any bytes, or says where they are wrong.
///
/// In a text that the check accepts, SQLite finds only whole statements.
func fuzzText(_ start: UnsafePointer<UInt8>, _ count: Int) {
  let bytes = ScriptBytes(UnsafeBufferPointer(start: start, count: count))
  var migration = Migration(script: "2.sql", 2, .file(Path("2.sql")))
  migration.text = Array(bytes.buffer)
  do throws(UpgradeError) {
    let script = try Script(reading: migration)
    bytes.withText { text in
      // After an additional semicolon every statement is complete.
      let whole = String(cString: text + bytes.textStart) + "\n;"
      demand(sqlite3_complete(whole) == 1, "an unfinished script was taken")
    }
    _ = script.runsAlone
  } catch {
    demand(error.kind == .scripts, "\(error)")
    demand(
      (error.place?.line ?? 0) >= 1 && (error.place?.column ?? 0) >= 1, "there is no such place")
    _ = error.description
  }
}
