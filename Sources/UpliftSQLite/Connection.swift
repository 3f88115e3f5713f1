internal import CUpliftSQLite

/// A connection to one database, for one thread; it is closed when the value goes out of scope.
package struct Connection: ~Copyable {
  package enum Access {
    /// Reads and writes an existing file. If the file may not be written, it only reads.
    case readWrite
    /// The same, and a seed can be attached.
    case readWriteBesideSeed
    /// Reads a file that no process changes, without locks and without files beside it.
    case immutable
    /// Uses a database in memory, without a file; the path is `:memory:`.
    case memory
  }

  let handle: OpaquePointer
  package let deadline: Deadline
  package let scriptGuard = ScriptGuard()

  package init(path: String, access: Access, deadline: Deadline) throws(SQLiteError) {
    try self.init(path: Array(path.utf8), access: access, deadline: deadline)
  }

  /// Opens a path in the form that the operating system uses: bytes in any encoding.
  package init(path: [UInt8], access: Access, deadline: Deadline) throws(SQLiteError) {
    let (name, flags) =
      switch access {
      case .readWrite: (Self.plain(path), SQLITE_OPEN_READWRITE)
      case .memory: (path, SQLITE_OPEN_READWRITE)
      // With this flag an attached file may be given as a URI. SQLite then also takes a path that
      // begins with `file:` for a URI, so this path is written as one.
      case .readWriteBesideSeed: (Self.uri(of: path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
      case .immutable: (Self.immutableURI(of: path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      }
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name.cString, &opened, flags | common, nil)
    guard let opened, code == SQLITE_OK else {
      // Even if SQLite cannot open the file, it returns a handle, which has the error message.
      let error = SQLiteError(opened.map(sqlite3_extended_errcode) ?? code, of: opened)
      sqlite3_close(opened)
      throw error
    }
    self.handle = opened
    self.deadline = deadline
    installHandlers()
  }

  deinit {
    // SQLite closes the file after the last statement is finalized.
    sqlite3_close_v2(handle)
  }

  /// Asks for extended result codes, and installs the handlers that ask the deadline, which the
  /// connection keeps alive.
  borrowing func installHandlers() {
    sqlite3_extended_result_codes(handle, 1)
    let deadline = Unmanaged.passUnretained(deadline).toOpaque()
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context else { return 0 }
        let deadline = Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue()
        return deadline.pause(attempt: Int(attempt)) ? 1 : 0
      }, deadline)
    // SQLite calls this after every thousand steps of its virtual machine.
    sqlite3_progress_handler(
      handle, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().pulse() ? 1 : 0
      }, deadline)
  }

  /// Makes SQLite ask the guard about every statement; it is called once, before the first script.
  package borrowing func installGuard() {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, database, _ in
        guard let context else { return SQLITE_DENY }
        return Unmanaged<ScriptGuard>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.answer(action, first, second, database)
        }
      }, Unmanaged.passUnretained(scriptGuard).toOpaque())
  }

  /// A path as the URI of a file that no process changes.
  static func immutableURI(of path: [UInt8]) -> [UInt8] {
    uri(of: path) + "?mode=ro&immutable=1".utf8
  }

  /// A path in a form that SQLite takes for nothing else: `./:memory:` is a file.
  private static func plain(_ path: [UInt8]) -> [UInt8] {
    path.first == UInt8(ascii: "/") ? path : "./".utf8 + path
  }

  /// A path as a URI, in which every byte with a special meaning is written as `%HH`
  /// (sqlite.org/uri.html).
  private static func uri(of path: [UInt8]) -> [UInt8] {
    let unchanged = "/.-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
    let path = plain(path)
    // What follows two slashes is the name of a host, here an empty one: a path may begin with two
    // slashes.
    var uri = Array((path.first == UInt8(ascii: "/") ? "file://" : "file:").utf8)
    for byte in path {
      if unchanged.contains(byte) {
        uri.append(byte)
      } else {
        uri += ((byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)).utf8
      }
    }
    return uri
  }
}

/// What a connection knows without a statement.
extension Connection {
  /// True while a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The rows that all statements of the connection have changed, those of triggers, too.
  package var totalChanges: Int64 { sqlite3_total_changes64(handle) }

  /// The rows that the latest statement has changed that could change some.
  package var changes: Int64 { sqlite3_changes64(handle) }

  /// True if the file may not be written; `BEGIN IMMEDIATE` can succeed even so.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// The path of the file, without links: one of them may lead elsewhere by now.
  package var path: [UInt8] {
    sqlite3_db_filename(handle, "main").map { [UInt8](cString: $0) } ?? []
  }

  /// True if the connection's path no longer names the file that was opened, so that a commit would
  /// succeed and be lost.
  package var hasMoved: Bool {
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }
}

/// The SQLite library of this process.
package enum Engine {
  /// The version of SQLite, for example `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// True for a keyword of SQLite; as a name it is written in quotes.
  package static func isKeyword(_ word: [UInt8]) -> Bool {
    sqlite3_keyword_check(word.cString, Int32(word.count)) != 0
  }

  /// Turns off SQLite's count of the memory that it uses.
  ///
  /// The count takes a fifth of the time of a long script with short statements. The setting
  /// belongs to the whole process, so only a program may choose it, and only before it opens a
  /// database. If SQLite is in use already, nothing changes.
  package static func forgoMemoryStatistics() {
    _ = uplift_sqlite3_forgo_memory_statistics()
  }

  /// False for a SQLite that was built without extensions.
  package static var loadsExtensions: Bool { uplift_sqlite3_loads_extensions() != 0 }

  /// Loads a file with code, an extension, into a connection.
  ///
  /// Loading is allowed for this moment only, and never to SQL: `load_extension()` stays off. The
  /// path must have a slash, because the system would search a bare name in its own directories.
  package static func loadExtension(
    _ path: [UInt8], into handle: OpaquePointer
  ) throws(SQLiteError) {
    try configure(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, on: true)
    var words: UnsafeMutablePointer<CChar>?
    let code = uplift_sqlite3_load_extension(handle, path.cString, &words)
    defer { sqlite3_free(words) }
    try configure(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, on: false)
    guard code == SQLITE_OK else {
      throw SQLiteError(
        code: ResultCode(code),
        message: words.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code)))
    }
  }

  /// Turns a setting of a connection on or off, and checks that SQLite has taken it.
  static func configure(
    _ handle: OpaquePointer, _ setting: Int32, on isOn: Bool
  ) throws(SQLiteError) {
    var now: Int32 = -1
    let code = uplift_sqlite3_configure(handle, setting, isOn ? 1 : 0, &now)
    guard code == SQLITE_OK, now == (isOn ? 1 : 0) else {
      throw SQLiteError(
        code: ResultCode(code == SQLITE_OK ? SQLITE_ERROR : code),
        message: "this SQLite does not take setting \(setting)")
    }
  }
}
