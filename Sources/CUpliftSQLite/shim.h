// SQLite as Swift can call it: what is variadic, or newer than some systems' SQLite, has a
// plain function here.

#ifndef UPLIFT_SQLITE_SHIM_H
#define UPLIFT_SQLITE_SHIM_H

#include <sqlite3.h>

/// Sets one of SQLite's on-off settings of a connection and reports what it is now.
static inline int uplift_sqlite3_configure(sqlite3 *db, int setting, int on, int *now) {
  return sqlite3_db_config(db, setting, on, now);
}

/// Stops SQLite from counting the memory it takes, under a lock, at each allocation; before
/// anything else is asked of it.
static inline int uplift_sqlite3_forgo_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Hides from SQLite that files here can share memory between processes, as a write-ahead log needs
/// it: to a database in WAL mode it answers SQLITE_CANTOPEN then, before it has made, opened or
/// changed a log (sqlite.org/wal.html, section 8). `before` keeps what there was for
/// `uplift_sqlite3_show_log`; the result is null if there is nothing to hide.
static inline sqlite3_io_methods *uplift_sqlite3_hide_log(sqlite3 *db,
                                                          const sqlite3_io_methods **before) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      !file->pMethods || file->pMethods->iVersion < 3)
    return 0;
  sqlite3_io_methods *methods = (sqlite3_io_methods *)sqlite3_malloc((int)sizeof *methods);
  if (!methods) return 0;
  *before = file->pMethods;
  *methods = **before;
  methods->iVersion = 1;
  file->pMethods = methods;
  return methods;
}

/// Gives a file back what was hidden.
static inline void uplift_sqlite3_show_log(sqlite3 *db, sqlite3_io_methods *methods,
                                           const sqlite3_io_methods *before) {
  sqlite3_file *file = 0;
  if (!methods) return;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file)
    file->pMethods = before;
  sqlite3_free(methods);
}

/// Where in its statement the latest error lies, in bytes, or -1.
static inline int uplift_sqlite3_error_offset(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(db);
#else
  (void)db;
  return -1;
#endif
}

/// How many rows the latest statement changed.
static inline long long uplift_sqlite3_changes(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3037000
  return sqlite3_changes64(db);
#else
  return sqlite3_changes(db);
#endif
}

/// How many rows the connection has changed.
static inline long long uplift_sqlite3_total_changes(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3037000
  return sqlite3_total_changes64(db);
#else
  return sqlite3_total_changes(db);
#endif
}

#endif
