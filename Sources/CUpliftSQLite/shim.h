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
