#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"
#include "intercept.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file = -1;
static atomic_ulong number;

void record_begin(void) {
  const char *path = getenv("UPLIFT_INTERCEPT_LOG");
  if (!path) return;
  // The system is called past our own definitions, and kept out of the program's numbers.
  long opened = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (opened < 0) abort();
  file = (int)syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 400);
  syscall(SYS_close, opened);
  if (file < 0) abort();
}

static bool isSQLite(const void *caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "sqlite");
}

/// One write a line: the log of a process that is killed ends with a whole line.
static void append(const char *line, int length, size_t size) {
  if (length > 0) syscall(SYS_write, file, line, (size_t)length < size ? (size_t)length : size - 1);
}

void record(const struct call *call, long long result) {
  if (file < 0) return;
  char line[3072];
  int length = snprintf(
      line, sizeof line, "%lu\t%s\t%s\t%lld\t%lld\t%zu\t%ld\t%s\t%s\n",
      atomic_fetch_add(&number, 1) + 1, isSQLite(call->caller) ? "sqlite" : "program", call->name,
      result, call->offset, call->length, call->flags, call->path ? call->path : "",
      call->other ? call->other : "");
  append(line, length, sizeof line);
}

void intercept_note(const char *words) {
  if (file < 0) return;
  char line[1024];
  int length = snprintf(
      line, sizeof line, "%lu\tprogram\tnote\t0\t-1\t0\t0\t%s\t\n",
      atomic_fetch_add(&number, 1) + 1, words);
  append(line, length, sizeof line);
}

#else
#include "intercept.h"
void intercept_note(const char *words) { (void)words; }
#endif
