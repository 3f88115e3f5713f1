internal import Uplift
internal import UpliftSQLite

/// The names in the text of a script; comments and strings do not count.
extension Script {
  /// True if one of the names is this one; false for a step in Swift, which has no text.
  func uses(_ name: Name) -> Bool {
    if case .code = migration.body { return false }
    guard mayMention(name) else { return false }
    // A doubled quote is read as an end and a new start, so such a name is not looked for.
    if name.bytes.contains(where: { Array("\"`'".utf8).contains($0) }) { return true }
    return withText { text in
      var reader = TokenReader(text, from: 0)
      while let (token, range) = reader.nextIfReadable() {
        switch token {
        case .word where range.count == name.folded.count:
          if Name(text[range]) == name { return true }
        case .quoted where range.count == name.folded.count + 2:
          let isString = text[range.lowerBound] == UInt8(ascii: "'")
          if !isString, Name(text[range].dropFirst().dropLast()) == name { return true }
        default: continue
        }
      }
      return false
    }
  }

  /// The tables whose rows the statements insert, update or delete.
  ///
  /// A table that only a trigger changes is not among them.
  var tablesOfStatements: Set<Name> {
    enum Expected { case from, table, conflict, dot, nothing }
    var tables: Set<Name> = []
    withText { text in
      var reader = TokenReader(text, from: 0)
      var expected = Expected.nothing
      var latest = Name("")
      var end = 0
      while let (token, range) = reader.nextIfReadable() {
        if token == .lineComment || token == .blockComment { continue }
        let isQuoted = token == .quoted
        // A doubled quote is read as an end and a new start.
        let isSecondHalf = isQuoted && range.lowerBound == end && end > 0
        end = range.upperBound
        let word = Name(isQuoted ? text[range].dropFirst().dropLast() : text[range])
        let keyword = token == .word ? String(decoding: word.folded, as: UTF8.self) : ""
        switch (expected, keyword) {
        case (.dot, _) where isSecondHalf:
          tables.remove(latest)
          latest = Name(latest.bytes + [text[range.lowerBound]] + word.bytes)
          tables.insert(latest)
        case (.dot, _) where text[range.lowerBound] == UInt8(ascii: "."):
          tables.remove(latest)
          expected = .table
        // `DO UPDATE SET` after `ON CONFLICT`.
        case (.table, "set"): expected = .nothing
        case (.table, "or"): expected = .conflict
        case (.conflict, _): expected = .table
        case (.table, _):
          tables.insert(word)
          latest = word
          expected = .dot
        case (.from, "from"), (_, "into"), (_, "update"): expected = .table
        case (_, "delete"): expected = .from
        default: expected = .nothing
        }
      }
    }
    return tables
  }
}
