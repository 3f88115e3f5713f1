#include "child.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

pid_t child_fork(void) { return fork(); }

static sqlite3_mem_methods standard;
static unsigned long asked, failsAt;
static long outstanding;
static bool failsOn;

static bool fails(void) {
  asked++;
  return failsAt > 0 && (asked == failsAt || (failsOn && asked > failsAt));
}

static void *allocate(int size) {
  void *piece = fails() ? NULL : standard.xMalloc(size);
  if (piece) outstanding++;
  return piece;
}

static void *reallocate(void *piece, int size) {
  return fails() ? NULL : standard.xRealloc(piece, size);
}

static void release(void *piece) {
  if (piece) outstanding--;
  standard.xFree(piece);
}

void child_starve(unsigned long at, bool on) {
  failsAt = at;
  failsOn = on;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &standard) != SQLITE_OK) abort();
  sqlite3_mem_methods ours = standard;
  ours.xMalloc = allocate;
  ours.xRealloc = reallocate;
  ours.xFree = release;
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) != SQLITE_OK) abort();
}

static bool isHurried;

void child_hurry(void) { isHurried = true; }

/// SQLite sleeps by this function. In a hurry it skips sleeps of more than 20 ms.
int usleep(useconds_t time) {
  struct timespec pause = {time / 1000000, time % 1000000 * 1000};
  if (isHurried && time > 20000) return 0;
  return nanosleep(&pause, NULL);
}

unsigned long child_allocations(void) { return asked; }
long child_outstanding(void) { return outstanding; }
