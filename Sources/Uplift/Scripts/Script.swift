/// A step that can be run: its text, where it has one, has been checked.
struct Script: Sendable {
  let migration: Migration
  let bytes: ScriptBytes
  /// True for a script with the `no-transaction` directive.
  let runsAlone: Bool
  /// What a step in Swift does; it has no text.
  let code: (@Sendable (borrowing Database) throws -> Void)?

  init(
    _ migration: Migration, code: @escaping @Sendable (borrowing Database) throws -> Void
  ) {
    self.migration = migration
    self.code = code
    bytes = ScriptBytes("")
    runsAlone = false
  }

  /// True for a script that may be committed together with those around it.
  var sharesTransaction: Bool { !runsAlone && code == nil }

  /// False where a word, in lower case, is nowhere in the text; what a step in Swift says is not
  /// known before it says it.
  func mayMention(_ word: String) -> Bool { code != nil || bytes.mentions(word) }

  /// `file` is how errors name the script.
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
