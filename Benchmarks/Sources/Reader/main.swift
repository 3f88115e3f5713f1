// The reader: the least that a Swift program without Foundation needs to read a version. It opens the
// database named by its argument, reads user_version, and closes the database.

import CSQLite

var database: OpaquePointer?
var statement: OpaquePointer?
guard sqlite3_open_v2(CommandLine.arguments[1], &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
  sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
  sqlite3_step(statement) == SQLITE_ROW
else { fatalError("cannot read \(CommandLine.arguments[1])") }
let version = sqlite3_column_int(statement, 0)
sqlite3_finalize(statement)
sqlite3_close(database)
print(version)
