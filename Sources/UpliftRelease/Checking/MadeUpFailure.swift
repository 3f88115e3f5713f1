internal import Uplift
internal import UpliftSQLite

/// Finds the made-up rows on which a script fails, by running it without some of them.
struct CulpritSearch {
  private let script: Script
  private let failure: UpgradeError
  private let rows: MadeUpRows?

  init(_ script: Script, _ failure: UpgradeError, _ rows: MadeUpRows?) {
    (self.script, self.failure, self.rows) = (script, failure, rows)
  }

  /// One row, or two of one table, on which the script fails; empty if neither is enough.
  ///
  /// `upgrade` runs the script on a copy of the database.
  func run(
    upgrade: (CheckObserver) throws(UpgradeError) -> Void
  ) throws(UpgradeError) -> [TableRow] {
    guard let rows else { return [] }
    func outcome(
      _ table: Name, _ kept: [TableRow]
    ) throws(UpgradeError) -> (Outcome, had: [TableRow]) {
      let version = script.migration.version
      let observer = CheckObserver(
        rows, idleThrough: .zero,
        CheckObserver.Reduction(version: version, table: table, rows: kept))
      do {
        try upgrade(observer)
        return (.passes, observer.reduced)
      } catch {
        guard error.kind == .failed else { throw error.onScratch }
        return (isSame(error) ? .failsAlike : .failsOtherwise, observer.reduced)
      }
    }
    let suspects = suspects(rows.filled)
    // A table is to blame if the script passes without its rows, or else if it fails in another way.
    for isCulprit in [{ $0 == .passes }, { $0 != .failsAlike }] as [(Outcome) -> Bool] {
      for table in suspects {
        let (without, had) = try outcome(table, [])
        guard isCulprit(without) else { continue }
        let pairs = had.indices.flatMap { one in had[(one + 1)...].map { [had[one], $0] } }
        for some in had.map({ [$0] }) + pairs where try outcome(table, some).0 == .failsAlike {
          return some
        }
      }
    }
    return []
  }

  /// How the script ends with other rows.
  private enum Outcome { case passes, failsAlike, failsOtherwise }

  /// The tables to blame, the likely ones first: those of the orphans, those that the line of the
  /// script names, and those that the script names.
  private func suspects(_ filled: Set<Name>) -> [Name] {
    let words = SQLWords(Array((failure.place?.excerpt?.text ?? "").utf8))
    let named = filled.filter { script.mayMention($0) }.sorted()
    let orphans = failure.orphans?.rows.map { Name($0.table) } ?? []
    var seen: Set<Name> = []
    return (orphans + named.filter { words.contains($0.folded) } + named)
      .filter { filled.contains($0) && seen.insert($0).inserted }
  }

  /// True for the same fault at the same place; it may be about other rows.
  private func isSame(_ other: UpgradeError) -> Bool {
    guard other.place == failure.place else { return false }
    return other.orphans != nil && failure.orphans != nil || other.message == failure.message
  }
}

/// A row of a table, to be shown in a finding and to be put back.
struct TableRow: Hashable {
  typealias Value = Upgrader.Database.Value

  let table: Name
  let columns: [Name]
  let values: [Value]

  /// At most `limit` rows of a table, in no order.
  static func sample(
    _ limit: Int, of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TableRow] {
    let columns = try connection.columns(of: table).filter { !$0.isGenerated }.map(\.name)
    let rows = try connection.prepare(
      "SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(table) LIMIT \(limit)" as SQL)
    var found: [TableRow] = []
    while try rows.step() {
      found.append(
        TableRow(table: table, columns: columns, values: columns.indices.map { rows.value($0) }))
    }
    return found
  }

  func insert(_ connection: borrowing Connection) throws(SQLiteError) {
    let row = try connection.prepare(
      """
      INSERT INTO main.\(table) (\(SQL.list(columns) { "\($0)" }))
      VALUES (\(SQL.list(columns) { _ in "?" }))
      """ as SQL)
    for (index, value) in values.enumerated() { try row.bind(value, at: index + 1) }
    try row.run()
  }

  /// True if a table has a row with the same values in the columns that it shares with this one.
  func isIn(_ table: Name, _ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    let theirs = Set(try connection.columns(of: table).map(\.name))
    let shared = zip(columns, values).filter { theirs.contains($0.0) }
    guard !shared.isEmpty else { return false }
    let row = try connection.prepare(
      "SELECT 1 FROM main.\(table) WHERE \(SQL.all(shared.map(\.0)) { "\($0) IS ?" }) LIMIT 1"
        as SQL)
    for (index, pair) in shared.enumerated() { try row.bind(pair.1, at: index + 1) }
    return try row.step()
  }

  /// The row for a message, as in `a row of users (id 1, email NULL)`.
  var shown: String {
    let pairs = zip(columns, values).map { "\($0.shown) \($1.shown)" }
    return "a row of \(table.shown) (\(pairs.joined(separator: ", ")))"
  }
}

extension Upgrader.Database.Value {
  /// The value for a message, as SQL has it; long ones are cut.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(Self.cut(text))'"
    case .rawText(let bytes): "'\(Self.cut(String(decoding: bytes, as: UTF8.self)))'"
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    }
  }

  private static func cut(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return scalars.count > 40 ? String(scalars.prefix(39)) + "…" : text
  }
}
