// The functions of SQLite that Swift cannot call by itself, because they are variadic, those that
// an older SQLite does not have, and one that needs SQLite's C structures.

#ifndef UPLIFT_SQLITE_SHIM_H
#define UPLIFT_SQLITE_SHIM_H

#include <sqlite3.h>

/// Turns a setting of a connection on or off, and reports its new state: `sqlite3_db_config`.
static inline int uplift_sqlite3_configure(sqlite3 *db, int setting, int on, int *now) {
  return sqlite3_db_config(db, setting, on, now);
}

/// Turns off the count of SQLite's memory, which takes a lock at each allocation: `sqlite3_config`
/// with SQLITE_CONFIG_MEMSTATUS. It must be the first call of SQLite.
static inline int uplift_sqlite3_forgo_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#if !defined(__APPLE__) && !defined(SQLITE_OMIT_LOAD_EXTENSION)
// A SQLite that was built without extensions does not have the function.
#pragma weak sqlite3_load_extension
#endif

/// True if this SQLite can load extensions.
static inline int uplift_sqlite3_loads_extensions(void) {
#if defined(__APPLE__) || defined(SQLITE_OMIT_LOAD_EXTENSION)
  return 0;
#else
  return sqlite3_load_extension != 0 && !sqlite3_compileoption_used("OMIT_LOAD_EXTENSION");
#endif
}

/// Loads an extension into a connection, which must allow it: `sqlite3_load_extension`. `words` gets
/// the error message, which the caller frees with `sqlite3_free`.
static inline int uplift_sqlite3_load_extension(sqlite3 *db, const char *path, char **words) {
#if defined(__APPLE__) || defined(SQLITE_OMIT_LOAD_EXTENSION)
  (void)db, (void)path, (void)words;
  return SQLITE_ERROR;
#else
  return sqlite3_load_extension(db, path, 0, words);
#endif
}

/// Reads bytes of the file of a database through SQLite's own open file.
static inline int uplift_sqlite3_read_file(sqlite3 *db, void *to, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      !file->pMethods)
    return SQLITE_ERROR;
  return file->pMethods->xRead(file, to, count, offset);
}

/// The first byte at fault in the statement of the latest error, or -1: `sqlite3_error_offset`.
static inline int uplift_sqlite3_error_offset(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(db);
#else
  (void)db;
  return -1;
#endif
}

#endif
