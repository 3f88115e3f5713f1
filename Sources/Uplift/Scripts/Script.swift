package import UpliftSQLite
package import UpliftSystem

/// A step that is ready to run: a script whose text has been checked, or a step in Swift.
package struct Script: Sendable {
  package let migration: Migration
  /// The text of a script; empty for a step in Swift.
  let bytes: ScriptBytes
  private let mode: StatementCheck.Mode?
  /// The offset of the directive about the mode.
  private let modeOffset: Int
  /// The kinds of findings of `check` that the script accepts.
  package let accepted: [String]

  /// The lowest version that a database may have before this script, which is the lowest that ships;
  /// nil if it does not say one.
  private let floor: (version: Version, offset: Int)?

  /// Reads a script whole and checks its text; a step in Swift has none.
  package init(reading migration: Migration) throws(UpgradeError) {
    self.migration = migration
    switch migration.body {
    case .code:
      bytes = ScriptBytes([])
      (mode, modeOffset, accepted, floor) = (nil, 0, [], nil)
      return
    case .sql(let sql):
      try Self.checkSize(Int64(sql.utf8.count), migration.path)
      bytes = ScriptBytes(sql.utf8)
    case .file(let path):
      bytes = if let text = migration.text { ScriptBytes(text) } else { try Self.bytes(of: path) }
    }
    do throws(TextProblem) {
      try TextCheck.check(bytes.buffer)
      let check = try StatementCheck(bytes.buffer, from: bytes.textStart)
      guard check.hasStatement || check.hasComment else {
        throw TextProblem(
          bytes.textStart, Self.holdsNothing,
          fix: "remove the file, or write in a comment why the script is empty")
      }
      (mode, modeOffset, accepted) = (check.mode, check.modeOffset, check.accepted)
      floor = check.floor
      if mode == .alone { try AloneCheck.check(bytes) }
      if mode == .repeating { try RowsCheck.check(bytes) }
    } catch {
      throw .text(
        of: migration.path, at: bytes.location(of: error.offset), error.message, fix: error.remedy)
    }
  }

  /// The words about a text without a statement and without a comment.
  package static let holdsNothing = "there is neither a statement nor a comment"

  /// Checks a text as that of a script; `file` names it in an error.
  package static func check(_ text: [UInt8], file: String) throws(UpgradeError) {
    var migration = Migration(script: file, .zero, .file(Path(file)))
    migration.text = text
    _ = try Script(reading: migration)
  }

  /// The code of a step in Swift; nil for a script.
  var code: (@Sendable (borrowing Database) throws -> Void)? {
    if case .code(let code) = migration.body { code } else { nil }
  }

  /// True if the script has the `no-transaction` directive.
  package var runsAlone: Bool { mode == .alone }

  /// True if the script has the `reads-seed` directive: the seed is attached while it runs.
  package var readsSeed: Bool { mode == .readingSeed }

  /// True if the script has the `repeat` directive: it runs in passes, each with a commit of its own.
  package var repeats: Bool { mode == .repeating }

  /// Checks that a script that reads the seed has the number of the seed, nil if there is none.
  ///
  /// It then never meets a later seed, and the seed has the schema that the database has by then.
  func checkNumber(seed: Version?) throws(UpgradeError) {
    guard readsSeed, seed != migration.version else { return }
    let (found, fix) =
      if let seed {
        (
          "its number is \(migration.version), not the seed's \(seed)",
          "release the script with its own seed: uplift bake --content gives both the same number"
        )
      } else {
        ("there is none", "name the seed, or remove the directive")
      }
    throw .text(
      of: migration.path, at: bytes.location(of: modeOffset),
      "the script reads the seed, and \(found)", fix: fix)
  }

  /// The floor; `lowest` is the lowest script that ships, in which alone it may stand.
  package func floor(lowest: Migration?) throws(UpgradeError) -> Version? {
    guard let floor else { return nil }
    let version = floor.version.written(like: migration.version)
    let isLowest = lowest.map { $0.version >= migration.version } ?? true
    if isLowest, !readsSeed, version < migration.version { return version }
    throw .text(
      of: migration.path, at: bytes.location(of: floor.offset),
      "scripts from \(version) on ship only if this is the lowest, above \(version), and does not read "
        + "the seed",
      fix: isLowest
        ? "write the directive into a script above \(version) that does not read the seed"
        : "move the directive into the lowest script, or remove the scripts below this one")
  }

  /// True if it may share a transaction with other scripts.
  package var isGrouped: Bool { mode != .alone && mode != .repeating }

  /// False if the text does not contain a word, given in lower case; true for a step in Swift.
  package func mayMention(_ word: String) -> Bool { code != nil || bytes.mentions(word.utf8) }

  /// False if the text does not contain the name of a table.
  package func mayMention(_ name: Name) -> Bool {
    // A quote in a name may be doubled in the text.
    code != nil || name.bytes.contains(where: Array("\"`'".utf8).contains)
      || bytes.mentions(name.folded)
  }

  /// Lends the text of a script.
  package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withExtendedLifetime(bytes) { body(bytes.buffer) }
  }

  /// The place of the statement at an offset; nil for a step in Swift.
  package func place(ofStatementAt offset: Int) -> UpgradeError.Place? {
    code == nil ? place(at: bytes.firstToken(from: offset)) : nil
  }
}

extension Script {
  /// The bytes of a file, which are not checked.
  package static func text(of path: Path) throws(UpgradeError) -> [UInt8] {
    let bytes = try bytes(of: path)
    return withExtendedLifetime(bytes) { Array(bytes.buffer) }
  }

  private static func bytes(of path: Path) throws(UpgradeError) -> ScriptBytes {
    let file = try open(path)
    let before = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard before.kind == .file else { throw notAFile(path) }
    try checkSize(before.size, path.shown)
    let (bytes, after) = try UpgradeError.at(path) { () throws(SystemError) in
      let bytes = try ScriptBytes(capacity: Int(before.size)) { room throws(SystemError) in
        try file.read(into: room)
      }
      return (bytes, try file.facts())
    }
    guard after == before, Int64(bytes.count) == before.size else {
      throw .text(
        of: path.shown, "the file changed while it was read",
        fix: "start again when the deployment is complete")
    }
    return bytes
  }

  /// SQLite counts the bytes of a statement in 32 bits, also inside a comment.
  private static func checkSize(_ size: Int64, _ path: String) throws(UpgradeError) {
    guard size > 1 << 30 else { return }
    throw .text(
      of: path, "the script has \(size) bytes, more than 1073741824",
      fix: "make several scripts of it")
  }

  private static func open(_ path: Path) throws(UpgradeError) -> OpenFile {
    do {
      return try OpenFile.reading(path)
    } catch {
      if error.isSocketOrDevice { throw notAFile(path) }
      throw UpgradeError(
        error, reading: path,
        missing: .text(
          of: path.shown, "the file does not exist, or is a link to a file that does not exist",
          fix: "ship the file, or start again when the deployment is complete"))
    }
  }

  private static func notAFile(_ path: Path) -> UpgradeError {
    .text(
      of: path.shown, "this is not a file", fix: "remove it, or rename it to another extension")
  }
}

extension UpgradeError {
  /// An error about the text of a script, at a line and a column.
  static func text(
    of file: String, at location: (line: Int, column: Int) = (1, 1), _ message: String, fix: String
  ) -> UpgradeError {
    UpgradeError(
      .scripts, message, fix: fix,
      at: Place(file: file, line: location.line, column: location.column))
  }
}

/// The pending steps, read and checked once; each is kept until it is committed.
final class LoadedScripts {
  private var scripts: [Version: Script] = [:]

  /// Reads and checks steps; `seed` is the version of the seed, nil if there is none.
  func load(_ steps: some Sequence<Migration>, seed: Version?) throws(UpgradeError) {
    for step in steps {
      if scripts[step.version] == nil { scripts[step.version] = try Script(reading: step) }
      try scripts[step.version]?.checkNumber(seed: seed)
    }
  }

  subscript(version: Version) -> Script? { scripts[version] }

  func discard(_ version: Version) { scripts[version] = nil }
}
