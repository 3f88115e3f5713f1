/// A script that can be run: its text has been checked.
struct Script: Sendable {
  let migration: Migration
  let bytes: ScriptBytes
  /// True for a script with the `no-transaction` directive.
  let runsAlone: Bool

  /// `file` is how errors name the script.
  init(_ migration: Migration, file: String, bytes: ScriptBytes) throws(UpgradeError) {
    self.migration = migration
    self.bytes = bytes
    do {
      try TextCheck.check(bytes.buffer)
      runsAlone = try StatementCheck(bytes.buffer, from: bytes.textStart).runsAlone
    } catch {
      let place = bytes.place(of: error.offset)
      throw .scriptText(file: file, line: place.line, column: place.column, error.kind)
    }
  }
}
