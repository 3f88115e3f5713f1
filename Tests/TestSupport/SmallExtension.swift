internal import Foundation

/// An extension of SQLite with a collation, a function and a virtual table, built from C.
public final class SmallExtension: Sendable {
  /// What the extension does when it is loaded, apart from its additions.
  public enum Kind: String, Sendable {
    case plain = "PLAIN"
    /// It creates a table, and fails if it cannot.
    case writes = "WRITES"
    /// It tries many things that it may not do, and goes on if they fail.
    case meddles = "MEDDLES"
    /// It fails.
    case fails = "FAILS"
  }

  private let scratch: Scratch
  public var path: String { scratch("small.so") }

  public struct Failure: Error {
    public let outcome: Outcome
  }

  /// Builds it with the C compiler of the Swift toolchain, or with that of the system.
  public init(_ kind: Kind = .plain) throws {
    scratch = try Scratch()
    let source = try scratch.write(Self.source, to: "small.c")
    let outcome = try Command("/bin/sh").run(
      "-c", "exec $(command -v clang || command -v cc) -shared -fPIC -D\"$1\" -o \"$2\" \"$3\"",
      "sh", kind.rawValue, path, source)
    guard outcome.status == 0 else { throw Failure(outcome: outcome) }
  }

  /// SQL that uses all that the extension adds, at version 1.
  public static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT);
    CREATE TABLE other(a INTEGER, b INTEGER);
    INSERT INTO item VALUES(1, 'One Two', 'x'), (2, 'one three', 'y');
    CREATE INDEX item_name ON item(name COLLATE SHELVED);
    CREATE INDEX item_slug ON item(slug(name));
    CREATE VIRTUAL TABLE digits USING tally(3);
    PRAGMA user_version = 1;
    """

  private static let source = """
    #include <sqlite3ext.h>
    #include <stdlib.h>
    SQLITE_EXTENSION_INIT1

    // Compares without regard to case and to blanks.
    static int shelved(void *context, int n, const void *a, int m, const void *b) {
      const unsigned char *p = a, *q = b;
      int i = 0, j = 0;
      for (;;) {
        while (i < n && p[i] == ' ') i++;
        while (j < m && q[j] == ' ') j++;
        if (i == n || j == m) return (i < n) - (j < m);
        int x = p[i] | 32, y = q[j] | 32;
        if (x != y) return x - y;
        i++, j++;
      }
    }

    static void slug(sqlite3_context *context, int count, sqlite3_value **values) {
      char *text = sqlite3_mprintf("%s", sqlite3_value_text(values[0]));
      for (char *c = text; *c; c++) *c = *c == ' ' ? '-' : *c | 32;
      sqlite3_result_text(context, text, -1, sqlite3_free);
    }

    // tally(3) has the rows 0, 1 and 2.
    typedef struct { sqlite3_vtab base; int count; } table;
    typedef struct { sqlite3_vtab_cursor base; int row; } cursor;
    static int connect(sqlite3 *db, void *context, int count, const char *const *words,
                       sqlite3_vtab **result, char **error) {
      table *new = calloc(1, sizeof *new);
      new->count = count > 3 ? atoi(words[3]) : 1;
      *result = &new->base;
      return sqlite3_declare_vtab(db, "CREATE TABLE x(n INTEGER)");
    }
    static int disconnect(sqlite3_vtab *old) { free(old); return SQLITE_OK; }
    static int plan(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }
    static int start(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
      *result = calloc(1, sizeof(cursor));
      return SQLITE_OK;
    }
    static int finish(sqlite3_vtab_cursor *old) { free(old); return SQLITE_OK; }
    static int filter(sqlite3_vtab_cursor *now, int number, const char *words, int count,
                      sqlite3_value **values) {
      ((cursor *)now)->row = 0;
      return SQLITE_OK;
    }
    static int next(sqlite3_vtab_cursor *now) { ((cursor *)now)->row++; return SQLITE_OK; }
    static int end(sqlite3_vtab_cursor *now) {
      return ((cursor *)now)->row >= ((table *)now->pVtab)->count;
    }
    static int column(sqlite3_vtab_cursor *now, sqlite3_context *context, int index) {
      sqlite3_result_int(context, ((cursor *)now)->row);
      return SQLITE_OK;
    }
    static int rowid(sqlite3_vtab_cursor *now, sqlite3_int64 *result) {
      *result = ((cursor *)now)->row;
      return SQLITE_OK;
    }
    static sqlite3_module tally = {
      .xCreate = connect, .xConnect = connect, .xBestIndex = plan, .xDisconnect = disconnect,
      .xDestroy = disconnect, .xOpen = start, .xClose = finish, .xFilter = filter, .xNext = next,
      .xEof = end, .xColumn = column, .xRowid = rowid,
    };

    int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      sqlite3_create_collation(db, "SHELVED", SQLITE_UTF8, 0, shelved);
      sqlite3_create_function(db, "slug", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, slug, 0, 0);
      sqlite3_create_module(db, "tally", &tally, 0);
    #ifdef WRITES
      return sqlite3_exec(db, "CREATE TABLE planted(a)", 0, 0, error);
    #endif
    #ifdef MEDDLES
      static const char *const all[] = {
        "CREATE TABLE planted(a)", "DELETE FROM item", "PRAGMA user_version = 7",
        "PRAGMA application_id = 7", "PRAGMA query_only = OFF", "DELETE FROM item",
        "CREATE TEMP TABLE leftover(a)", "CREATE TEMP VIEW leftover AS SELECT 1",
        "ATTACH 'attached.db' AS leftover", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF",
        "PRAGMA recursive_triggers = ON", "PRAGMA foreign_keys = ON", "PRAGMA locking_mode = EXCLUSIVE",
        "PRAGMA legacy_alter_table = ON", "PRAGMA case_sensitive_like = ON",
        "BEGIN", "SAVEPOINT leftover", "VACUUM", "ANALYZE", "REINDEX", "BEGIN IMMEDIATE",
      };
      for (unsigned i = 0; i < sizeof all / sizeof *all; i++) sqlite3_exec(db, all[i], 0, 0, 0);
      sqlite3_enable_load_extension(db, 1);
      sqlite3_busy_timeout(db, 0);
      sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 4);
    #endif
    #ifdef FAILS
      *error = sqlite3_mprintf("no licence");
      return SQLITE_ERROR;
    #endif
      return SQLITE_OK;
    }
    """
}
