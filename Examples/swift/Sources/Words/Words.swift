import CSQLite
import Uplift

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The version of the database that this program needs.
public let target: Version = 3

/// Upgrades the database, then opens it and prints its words; returns the exit code.
///
/// The database is opened only after the upgrade has returned.
public func run(_ upgrader: Upgrader, database: String) -> Int32 {
  do {
    let upgrade = try upgrader.upgrade()
    print("words: \(upgrade.start) -> \(upgrade.end)")
  } catch {
    complain("words: \(error)\n\(error.remedy)\n")
    return error.exitCode
  }
  return printWords(database)
}

private func printWords(_ path: String) -> Int32 {
  var handle: OpaquePointer?
  var statement: OpaquePointer?
  defer {
    sqlite3_finalize(statement)
    sqlite3_close(handle)
  }
  // Without SQLITE_OPEN_CREATE, because only Uplift makes the database.
  guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
    sqlite3_prepare_v2(handle, "SELECT text, gloss FROM word ORDER BY text", -1, &statement, nil)
      == SQLITE_OK
  else {
    complain("words: \(String(cString: sqlite3_errmsg(handle)))\n")
    return 1
  }
  while sqlite3_step(statement) == SQLITE_ROW {
    let columns = (0...1).map { column in
      sqlite3_column_text(statement, Int32(column)).map { String(cString: $0) } ?? ""
    }
    print("\(columns[0]): \(columns[1])")
  }
  return 0
}

private func complain(_ words: String) {
  fflush(nil)
  _ = words.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
