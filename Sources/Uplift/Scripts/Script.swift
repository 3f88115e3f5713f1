/// A step that is ready to run: a script whose text has been checked, or a step in Swift.
struct Script: Sendable {
  let migration: Migration
  /// The text of a script; empty for a step in Swift.
  let bytes: ScriptBytes
  /// True if the script has the `no-transaction` directive.
  let runsAlone: Bool
  /// The code of a step in Swift; nil for a script.
  let code: (@Sendable (borrowing Database) throws -> Void)?

  init(
    _ migration: Migration, code: @escaping @Sendable (borrowing Database) throws -> Void
  ) {
    self.migration = migration
    self.code = code
    bytes = ScriptBytes("")
    runsAlone = false
  }

  /// True if the step may be committed together with the scripts around it.
  var sharesTransaction: Bool { !runsAlone && code == nil }

  /// False if the text does not contain a word, which is given in lower case.
  ///
  /// Always true for a step in Swift, because its statements are not known before it runs.
  func mayMention(_ word: String) -> Bool { code != nil || bytes.mentions(word) }

  /// Checks the text; `file` names the script in an error.
  init(_ migration: Migration, file: String, bytes: ScriptBytes) throws(UpgradeError) {
    self.migration = migration
    self.bytes = bytes
    code = nil
    do throws(TextCheck.Problem) {
      try TextCheck.check(bytes.buffer)
      let check = try StatementCheck(bytes.buffer, from: bytes.textStart)
      guard check.hasStatement || check.hasComment else {
        throw TextCheck.Problem(offset: bytes.textStart, kind: .noStatement)
      }
      runsAlone = check.runsAlone
    } catch {
      let location = bytes.location(of: error.offset)
      throw .scriptText(file: file, line: location.line, column: location.column, error.kind)
    }
  }
}
