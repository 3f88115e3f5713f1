internal import CUpliftSQLite

/// A connection to one database, for one thread; closed when it goes out of scope.
package struct Connection: ~Copyable {
  package enum Access {
    /// Reads and writes an existing file; only reads where it may not be written.
    case readWrite
    /// Reads a file that nobody changes, without locks and without files beside it.
    case immutable
    /// Not a file: a database in memory.
    case memory
    /// A database without a name, which SQLite writes to a temporary file when it grows.
    case temporary
  }

  let handle: OpaquePointer
  package let watch: Watch
  package let scriptGuard: ScriptGuard

  package init(path: String, access: Access, watch: Watch) throws(SQLiteError) {
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    var opened: OpaquePointer?
    let code =
      switch access {
      case .readWrite: sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | common, nil)
      case .immutable:
        sqlite3_open_v2(
          Self.uri(of: path), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | common, nil)
      case .memory: sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | common, nil)
      case .temporary:
        sqlite3_open_v2("", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | common, nil)
      }
    guard let opened, code == SQLITE_OK else {
      // SQLite hands out a handle for its words even where it could not open the file.
      let error = SQLiteError(opened.map(sqlite3_extended_errcode) ?? code, of: opened)
      sqlite3_close(opened)
      throw error
    }
    self.handle = opened
    self.watch = watch
    self.scriptGuard = ScriptGuard()
    sqlite3_extended_result_codes(opened, 1)
    install()
  }

  /// A database for intermediate results, which is gone when the connection closes.
  package static func temporary(watch: Watch) throws(SQLiteError) -> Connection {
    try Connection(path: "", access: .temporary, watch: watch)
  }

  deinit {
    // A statement that somebody else has not finalized closes the file when it is.
    sqlite3_close_v2(handle)
  }

  /// SQLite keeps these pointers as long as the connection; the connection keeps the objects.
  private func install() {
    let watch = Unmanaged.passUnretained(watch).toOpaque()
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context else { return 0 }
        let watch = Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue()
        return watch.pause(attempt: Int(attempt)) ? 1 : 0
      }, watch)
    sqlite3_progress_handler(
      handle, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().pulse() ? 1 : 0
      }, watch)
  }

  /// Puts the guard in SQLite's way; once, before the first script.
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

  /// "If the filename begins with `file:` it is a URI" (sqlite.org/uri.html); every byte that
  /// means something there is written as `%HH`.
  private static func uri(of path: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var uri = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        uri.append(Character(Unicode.Scalar(byte)))
      default:
        uri.append("%")
        uri.append(digits[Int(byte >> 4)])
        uri.append(digits[Int(byte & 15)])
      }
    }
    return uri + "?immutable=1"
  }
}
