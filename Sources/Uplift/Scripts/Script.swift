package import UpliftSQLite

/// A step that is ready to run: a script whose text has been checked, or a step in Swift.
package struct Script: Sendable {
  package let migration: Migration
  /// The text of a script; empty for a step in Swift.
  let bytes: ScriptBytes
  /// True if the script has the `no-transaction` directive.
  package let runsAlone: Bool
  /// The offset of the `reads-seed` directive; nil if the script has none.
  private let seedDirective: Int?
  /// The code of a step in Swift; nil for a script.
  let code: (@Sendable (borrowing Database) throws -> Void)?

  init(
    _ migration: Migration, code: @escaping @Sendable (borrowing Database) throws -> Void
  ) {
    self.migration = migration
    self.code = code
    bytes = ScriptBytes("")
    runsAlone = false
    seedDirective = nil
  }

  /// True if the script has the `reads-seed` directive: the seed is attached while it runs.
  package var readsSeed: Bool { seedDirective != nil }

  /// Checks that a script that reads the seed has the number that is the seed's version.
  ///
  /// The seed then has the schema that the database has when the script runs, and the script never
  /// meets a later seed. `seed` is nil if there is no seed.
  func checkNumber(seed: Version?) throws(UpgradeError) {
    guard let seedDirective, seed != migration.version else { return }
    let location = bytes.location(of: seedDirective)
    throw .scriptText(
      file: migration.path, line: location.line, column: location.column,
      seed.map { .otherSeed(script: migration.version, seed: $0) } ?? .noSeed)
  }

  /// False if the text does not contain a word, which is given in lower case.
  ///
  /// Always true for a step in Swift, because its statements are not known before it runs.
  package func mayMention(_ word: String) -> Bool { code != nil || bytes.mentions(word.utf8) }

  /// False if the text does not contain the name of a table.
  package func mayMention(_ name: Name) -> Bool {
    // A quote in a name may be doubled in the text.
    code != nil || name.bytes.contains(where: { Array("\"`'".utf8).contains($0) })
      || bytes.mentions(name.folded)
  }

  /// Lends the text of a script.
  package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(bytes) { body(bytes.buffer) }
  }

  /// The location of the statement at an offset, and its line; nil for a step in Swift.
  package func place(
    ofStatementAt offset: Int
  ) -> (line: Int, column: Int, excerpt: UpgradeError.Excerpt)? {
    if code != nil { return nil }
    let start = bytes.firstToken(from: offset)
    let location = bytes.location(of: start)
    return (location.line, location.column, bytes.excerpt(at: start))
  }

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
      if runsAlone { try AloneCheck.check(bytes) }
      seedDirective = check.seedDirective
    } catch {
      let location = bytes.location(of: error.offset)
      throw .scriptText(file: file, line: location.line, column: location.column, error.kind)
    }
  }
}

/// The pending steps, read and checked; each is kept until it is committed.
///
/// The first boot checks all of them before it makes the database. The text that runs is the text
/// that was checked, because no script is read twice.
final class LoadedScripts {
  private var scripts: [Version: Script] = [:]

  /// Reads and checks steps; `seed` is the version of the seed, nil if there is none.
  func load(_ steps: some Sequence<Migration>, seed: Version?) throws(UpgradeError) {
    for step in steps { try script(step).checkNumber(seed: seed) }
  }

  subscript(version: Version) -> Script? { scripts[version] }

  func discard(_ version: Version) {
    scripts[version] = nil
  }

  func script(_ step: Migration) throws(UpgradeError) -> Script {
    if let script = self[step.version] { return script }
    let script = try Script(reading: step)
    scripts[step.version] = script
    return script
  }
}
