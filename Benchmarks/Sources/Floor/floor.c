// The floor: the least that a correct upgrader can do.
//
//   floor DATABASE SEED|- DIRECTORY TARGET [REPEAT]
//
// It copies the seed if there is no database, reads user_version, and runs each script above it in a
// transaction of its own together with its number. TARGET 0 stands for the newest script. With
// REPEAT it repeats the work, and prints the nanoseconds of each time. It calls getppid before and
// after the work, so that a trace shows where the work begins and ends.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what, const char *words) {
  fprintf(stderr, "floor: %s: %s\n", what, words);
  exit(1);
}

static void check(int isGood, const char *what) {
  if (!isGood) {
    perror(what);
    exit(1);
  }
}

static void seed(const char *database, const char *source) {
  char temporary[4096], directory[4096];
  snprintf(temporary, sizeof temporary, "%s-floor", database);
  snprintf(directory, sizeof directory, "%s", database);
  int from = open(source, O_RDONLY | O_CLOEXEC);
  check(from >= 0, source);
  struct stat facts;
  check(fstat(from, &facts) == 0, source);
  int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  check(to >= 0, temporary);
  for (off_t left = facts.st_size; left > 0;) {
    ssize_t copied = copy_file_range(from, NULL, to, NULL, (size_t)left, 0);
    check(copied > 0, temporary);
    left -= copied;
  }
  check(fsync(to) == 0, temporary);
  close(to);
  close(from);
  check(link(temporary, database) == 0, database);
  check(unlink(temporary) == 0, temporary);
  int parent = open(dirname(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  check(parent >= 0 && fsync(parent) == 0, directory);
  close(parent);
}

static void run(sqlite3 *db, const char *sql) {
  char *words = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &words) != SQLITE_OK) fail("sqlite", words);
}

static int version(sqlite3 *db) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL);
  if (code != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW) fail("sqlite", sqlite3_errmsg(db));
  int number = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return number;
}

struct script {
  int number;
  char *name;
};

static int ascending(const void *one, const void *other) {
  int a = ((const struct script *)one)->number, b = ((const struct script *)other)->number;
  return (a > b) - (a < b);
}

static char *text(const char *directory, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  check(file >= 0 && fstat(file, &facts) == 0, path);
  char *bytes = malloc((size_t)facts.st_size + 1);
  off_t filled = 0;
  while (filled < facts.st_size) {
    ssize_t count = read(file, bytes + filled, (size_t)(facts.st_size - filled));
    check(count > 0, path);
    filled += count;
  }
  bytes[filled] = 0;
  close(file);
  return bytes;
}

static void upgrade(const char *database, const char *source, const char *directory, int target) {
  if (strcmp(source, "-") != 0 && access(database, F_OK) != 0) seed(database, source);
  sqlite3 *db;
  int flags = SQLITE_OPEN_READWRITE | (strcmp(source, "-") == 0 ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(database, &db, flags, NULL) != SQLITE_OK) fail(database, sqlite3_errmsg(db));
  int reached = version(db);
  if (target == 0 || reached < target) {
    DIR *listing = opendir(directory);
    check(listing != NULL, directory);
    struct script *scripts = NULL;
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
      int number = atoi(entry->d_name);
      if (number <= reached || (target != 0 && number > target)) continue;
      if ((count & (count + 1)) == 0)
        scripts = realloc(scripts, (2 * count + 2) * sizeof *scripts);
      scripts[count++] = (struct script){number, strdup(entry->d_name)};
    }
    closedir(listing);
    if (count > 0) qsort(scripts, count, sizeof *scripts, ascending);
    for (size_t i = 0; i < count; i++) {
      char *sql = text(directory, scripts[i].name);
      char bump[64];
      snprintf(bump, sizeof bump, "PRAGMA user_version = %d", scripts[i].number);
      run(db, "BEGIN IMMEDIATE");
      run(db, sql);
      run(db, bump);
      run(db, "COMMIT");
      free(sql);
      free(scripts[i].name);
    }
    free(scripts);
  }
  sqlite3_close(db);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count < 5) fail("usage", "floor DATABASE SEED|- DIRECTORY TARGET [REPEAT]");
  int target = atoi(arguments[4]);
  if (count == 5) {
    upgrade(arguments[1], arguments[2], arguments[3], target);
    return 0;
  }
  for (int left = atoi(arguments[5]); left > 0; left--) {
    getppid();
    long long begun = now();
    upgrade(arguments[1], arguments[2], arguments[3], target);
    long long ended = now();
    getppid();
    printf("%lld\n", ended - begun);
  }
}
