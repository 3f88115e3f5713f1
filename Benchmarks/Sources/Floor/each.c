// The floor for many databases: opens each file of a directory, reads user_version and closes it.
//
//   each DIRECTORY TARGET
//
// It fails if a version is not the target. It checks nothing else.
#define _GNU_SOURCE
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *words) {
  fprintf(stderr, "each: %s: %s\n", what, words);
  exit(1);
}

static int version(const char *path) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
    fail(path, sqlite3_errmsg(db));
  int code = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL);
  if (code != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW) fail(path, sqlite3_errmsg(db));
  int number = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return number;
}

static int ascending(const void *one, const void *other) {
  return strcmp(*(char *const *)one, *(char *const *)other);
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage", "each DIRECTORY TARGET");
  DIR *listing = opendir(arguments[1]);
  if (!listing) fail(arguments[1], "cannot be listed");
  char **names = NULL;
  size_t found = 0;
  for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    if ((found & (found + 1)) == 0) names = realloc(names, (2 * found + 2) * sizeof *names);
    names[found++] = strdup(entry->d_name);
  }
  closedir(listing);
  if (found > 0) qsort(names, found, sizeof *names, ascending);
  for (size_t i = 0; i < found; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", arguments[1], names[i]);
    if (version(path) != atoi(arguments[2])) fail(path, "has another version");
  }
}
