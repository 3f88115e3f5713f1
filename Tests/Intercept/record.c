#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"
#include "intercept.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int file = -1;
static bool withData;
static atomic_ulong number;

void record_begin(const char *path, bool hasData) {
  withData = hasData;
  number = 0;
  if (file >= 0) syscall(SYS_close, file);
  file = -1;
  if (!path || !*path) return;
  // Calls the system directly, and moves the log to a descriptor far above the program's.
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

/// Writes each line with one call, so that the log of a killed process ends with a whole line.
static void append(const char *line, int length, size_t size) {
  if (length > 0) syscall(SYS_write, file, line, (size_t)length < size ? (size_t)length : size - 1);
}

/// A fixed header in the machine's byte order, and after it the words and the data.
static void appendData(const struct call *call, long long result) {
  struct {
    int64_t result, offset, flags;
    int32_t descriptor;
    uint32_t name, path, other, data;
  } head = {
      .result = result,
      .offset = call->offset,
      .flags = call->flags,
      .descriptor = call->descriptor,
      .name = (uint32_t)strlen(call->name),
      .path = call->path ? (uint32_t)strlen(call->path) : 0,
      .other = call->other ? (uint32_t)strlen(call->other) : 0,
      .data = call->data && result > 0 ? (uint32_t)result : 0,
  };
  struct iovec parts[] = {
      {&head, 44},
      {(void *)call->name, head.name},
      {(void *)call->path, head.path},
      {(void *)call->other, head.other},
      {(void *)call->data, head.data},
  };
  syscall(SYS_writev, file, parts, 5);
}

void record(const struct call *call, long long result) {
  if (file < 0) return;
  if (withData) return appendData(call, result);
  char line[3072];
  int length = snprintf(
      line, sizeof line, "%lu\t%s\t%s\t%lld\t%lld\t%zu\t%ld\t%s\t%s\n",
      atomic_fetch_add(&number, 1) + 1, isSQLite(call->caller) ? "sqlite" : "program", call->name,
      result, call->offset, call->length, call->flags, call->path ? call->path : "",
      call->other ? call->other : "");
  append(line, length, sizeof line);
}

void intercept_note(const char *words) {
  struct call call = {.name = "note", .descriptor = -1, .offset = -1, .path = words};
  record(&call, 0);
}

#else
#include "intercept.h"
void intercept_note(const char *words) { (void)words; }
#endif
