internal import UpliftSQLite
internal import UpliftSystem

/// Makes the errors of one step, each with its place and with the version that stays.
struct StepErrors {
  let script: Script
  /// The path of the database.
  let path: String
  let reached: Version
  let deadline: Deadline

  var cancelled: UpgradeError { .cancelled(reached: reached) }

  /// Without a place, the script as a whole is at fault.
  func failed(
    _ message: String, fix: String, at place: UpgradeError.Place? = nil,
    kind: UpgradeError.Kind = .failed, sqlite: UpgradeError.SQLiteCode? = nil,
    orphans: UpgradeError.Orphans? = nil
  ) -> UpgradeError {
    UpgradeError(
      kind, message, fix: fix, at: place ?? script.place(at: nil), reached: reached,
      sqlite: sqlite, orphans: orphans)
  }

  func refused(_ refusal: Refusal, at place: UpgradeError.Place) -> UpgradeError {
    failed(refusal.words, fix: refusal.remedy, at: place)
  }

  /// The error if a statement has ended the transaction; `words` are SQLite's, if there are some.
  func transactionEnded(_ words: String? = nil, at place: UpgradeError.Place) -> UpgradeError {
    failed(
      words.map { "the transaction was rolled back: \($0)" }
        ?? "the statement ended the transaction",
      fix: "correct the script: an error, a RAISE(ROLLBACK) or an OR ROLLBACK clause has undone it",
      at: place)
  }

  /// The error if a statement of a script that repeats has changed more rows than there are.
  func endless(at place: UpgradeError.Place) -> UpgradeError {
    failed(
      "the statement changes rows again and again, so the script would never end",
      fix: "its WHERE must leave out the rows that are done; the passes so far are kept",
      at: place, kind: .endless)
  }

  func orphans(_ orphans: UpgradeError.Orphans) -> UpgradeError {
    failed(orphans.words, fix: orphans.remedy(readsSeed: script.readsSeed), orphans: orphans)
  }

  /// What an error of SQLite means; without a place, no single statement is at fault.
  func sqlite(_ error: SQLiteError, at place: UpgradeError.Place? = nil) -> UpgradeError {
    // A wait for a lock ends with `.busy` if the upgrade is cancelled.
    if deadline.mustStopNow, [.interrupted, .busy].contains(error.code.primary) {
      return cancelled
    }
    switch error.code.primary {
    case .corrupt where error.code == .corruptVirtualTable: break
    case .busy, .locking, .corrupt, .notADatabase, .readOnly, .interrupted:
      return UpgradeError(error, at: path, reached: reached)
    case .cannotOpen where !SystemError(code: error.systemCode).isDiskFailure:
      let translated = UpgradeError(error, at: path, reached: reached)
      // SQLite does not say which file. If files can be made beside the database, which is open, it
      // was a temporary one.
      let isTemporary = translated.kind == .denied && System.isWritable(Path(path).parent)
      return isTemporary ? noTemporaryFile(error, at: place) : translated
    case .inputOutput where error.code == .noTemporaryPath:
      return noTemporaryFile(error, at: place)
    case .full, .inputOutput, .cannotOpen:
      var words = error.message
      if error.code.primary == .full {
        // Sorting and rebuilding need temporary space, and SQLite does not say which disk is full.
        words += ", or that of \(System.temporaryDirectory.shown.quoted), where temporary files are"
      }
      return failed(error, words, fix: UpgradeError.freeSpace, at: place, kind: .disk)
    default: break
    }
    return failed(error, error.message, fix: remedy(for: error, at: place), at: place)
  }

  private func failed(
    _ error: SQLiteError, _ words: String, fix: String, at place: UpgradeError.Place?,
    kind: UpgradeError.Kind = .failed
  ) -> UpgradeError {
    let (name, number) = (error.code.name, error.code.rawValue)
    return failed(
      "\(words) (\(name), \(number))", fix: fix, at: place, kind: kind,
      sqlite: .init(number: number, name: name))
  }

  private func noTemporaryFile(
    _ error: SQLiteError, at place: UpgradeError.Place?
  ) -> UpgradeError {
    failed(
      error, "no temporary file can be made",
      fix: "set SQLITE_TMPDIR to a directory with free space that the service may write",
      at: place, kind: .disk)
  }

  private func remedy(for error: SQLiteError, at place: UpgradeError.Place?) -> String {
    if error.code == .corruptVirtualTable {
      return "rebuild a full-text index in a script before this one: INSERT INTO name(name) "
        + "VALUES('rebuild'), which changes no row; for an R-tree, restore a backup"
    }
    if script.readsSeed, place != nil, error.code.name == "SQLITE_CONSTRAINT_UNIQUE" {
      return "a user's row may have the same text as a row of the seed: the script must say which "
        + "one stays; see New content"
    }
    return Hints.remedy(for: error.message, in: place?.excerpt?.text, isNew: reached == .zero)
      ?? "correct the script, then start again; nothing of it was kept"
  }
}

extension Script {
  /// The place of a byte; without one, the script as a whole.
  func place(at offset: Int?) -> UpgradeError.Place {
    if code != nil { return UpgradeError.Place(call: migration.location, of: migration.name) }
    guard let offset else { return UpgradeError.Place(file: migration.path) }
    let location = bytes.location(of: offset)
    return UpgradeError.Place(
      file: migration.path, line: location.line, column: location.column,
      excerpt: bytes.excerpt(at: offset))
  }
}

extension UpgradeError.Place {
  /// The place of a call that a step in Swift makes with a statement.
  init(call location: SourceLocation, of step: String, _ statement: String = "") {
    self.init(
      file: step, source: location.file, line: location.line, column: 1,
      excerpt: UpgradeError.Excerpt(text: statement, caret: 1))
  }
}
