internal import Uplift
internal import UpliftSQLite

/// A column of a table for which rows are made up.
struct ColumnToFill {
  let name: Name
  /// The declared type in lower case.
  private let type: [UInt8]
  let isNotNull: Bool
  let hasDefault: Bool
  let isInKey: Bool
  /// True if SQLite numbers the rows in this column.
  let isRowNumber: Bool

  /// False also for a column of the primary key, in which `NULL` is rare.
  var mayBeNull: Bool { !isNotNull && !isInKey }

  /// The columns of a table that can be written.
  static func columns(
    of table: Name, isWithoutRowid: Bool, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [ColumnToFill] {
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var columns: [ColumnToFill] = []
    var keySize = 0
    while try rows.step() {
      if rows.integer(5) > 0 { keySize += 1 }
      guard rows.integer(6) == 0 else { continue }
      let type = rows.name(2)?.folded ?? []
      columns.append(
        ColumnToFill(
          name: rows.name(1) ?? Name(""), type: type, isNotNull: rows.integer(3) != 0,
          hasDefault: !rows.isNull(4) && rows.name(4) != Name("NULL"), isInKey: rows.integer(5) > 0,
          isRowNumber: rows.integer(5) == 1 && type.elementsEqual("integer".utf8) && !isWithoutRowid
        ))
    }
    return keySize == 1 ? columns : columns.map(\.withoutRowNumber)
  }

  private var withoutRowNumber: ColumnToFill {
    ColumnToFill(
      name: name, type: type, isNotNull: isNotNull, hasDefault: hasDefault, isInKey: isInKey,
      isRowNumber: false)
  }

  /// A plausible value for a row, as SQL; rows are counted from 0.
  ///
  /// The values of two rows differ, except for Booleans and JSON.
  func value(_ row: Int) -> SQL {
    let number = row + 1
    if type.isEmpty { return text(row) }
    func has(_ words: StaticString...) -> Bool { words.contains { contains($0) } }
    if has("bool") { return "\(row == 0 ? 1 : 0)" }
    if has("time", "stamp") { return "'2024-01-0\(number) 12:00:00'" }
    if has("date") { return "'2024-01-0\(number)'" }
    // Larger than the numbers of the rows, so that a value is not by chance a reference.
    if has("int") { return isInKey ? "\(number)" : "\(100 + number)" }
    if has("json") { return "'{}'" }
    if has("uuid", "guid") { return "'00000000-0000-4000-8000-00000000000\(number)'" }
    if has("blob", "binary") { return "x'0\(number)'" }
    if has("real", "floa", "doub", "dec", "num", "money") { return "\(number).5" }
    return text(row)
  }

  /// True if the type contains these bytes; a `String` would compare characters.
  private func contains(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      type.indices.contains { type[$0...].starts(with: word) }
    }
  }

  private func text(_ row: Int) -> SQL {
    let text = name.folded.prefix(20).filter { $0 != UInt8(ascii: "'") && $0 < 0x80 }
    let whole = Array(text) + " \(row + 1)".utf8
    // The number stays, so that the values differ.
    return .string(length.map { Array(whole.suffix($0)) } ?? whole)
  }

  /// The length in a type like `VARCHAR(10)`.
  private var length: Int? {
    guard let open = type.firstIndex(of: UInt8(ascii: "(")) else { return nil }
    let digits = type[(open + 1)...].prefix { (0x30...0x39).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }
}

extension SQL {
  /// A text in single quotes.
  static func string(_ bytes: [UInt8]) -> SQL {
    var quoted = [UInt8(ascii: "'")]
    for byte in bytes {
      quoted.append(byte)
      if byte == UInt8(ascii: "'") { quoted.append(byte) }
    }
    return SQL(quoted + [UInt8(ascii: "'")])
  }
}
