internal import UpliftSQLite

/// Checks that a `no-transaction` script holds a few pragmas and `VACUUM`, and nothing else.
///
/// Such statements change no value that a column holds, so the script may run twice. The whole
/// script is checked before anything runs, because its statements cannot be undone. SQLite prepares
/// each on an empty database in memory: on the live one, `page_size` would act at once.
enum AloneCheck {
  typealias Problem = TextCheck.Problem

  static func check(_ bytes: ScriptBytes) throws(Problem) {
    let connection = try emptyDatabase()
    let scriptGuard = connection.scriptGuard
    scriptGuard.begin(.alone)
    try bytes.withText { start throws(Problem) in
      var position = start + bytes.textStart
      while position.pointee != 0 {
        let offset = bytes.firstToken(from: position - start)
        if StatementCheck.isBlank(bytes, from: offset) { break }
        guard isAlone(bytes, from: offset) else {
          throw Problem(offset: offset, kind: .refused(.init(.notAlone)))
        }
        scriptGuard.beginStatement(at: offset)
        do throws(SQLiteError) {
          _ = try connection.prepareNext(at: &position)
        } catch {
          guard let refusal = scriptGuard.refusal else {
            throw Problem(
              offset: error.offset.map { position - start + $0 } ?? offset,
              kind: .notPrepared(error.message))
          }
          throw Problem(offset: offset, kind: .refused(.init(refusal)))
        }
      }
    }
  }

  private static func emptyDatabase() throws(Problem) -> Connection {
    do {
      let deadline = Deadline(patience: .zero, isCancelled: { false })
      let connection = try Connection(path: ":memory:", access: .memory, deadline: deadline)
      connection.installGuard()
      return connection
    } catch {
      throw Problem(offset: 0, kind: .notPrepared(error.message))
    }
  }

  /// True for a pragma, and for `VACUUM` without `INTO`.
  ///
  /// The authorizer is not asked about `VACUUM`, nor about a `REINDEX` of an empty database.
  private static func isAlone(_ bytes: ScriptBytes, from offset: Int) -> Bool {
    var reader = TokenReader(bytes.buffer, from: offset)
    var words: [String] = []
    while let (token, range) = reader.nextIfReadable(), token != .semicolon {
      if token == .word {
        words.append(String(decoding: bytes.buffer[range], as: UTF8.self).folded)
      }
    }
    return words.first == "pragma" || words.first == "vacuum" && !words.contains("into")
  }
}
