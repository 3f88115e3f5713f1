// Calls that take a path.

#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN(name)                                              \
  int name(const char *path, int flags, ...) {                  \
    NEXT(int, name, const char *, int, ...);                    \
    mode_t mode = 0;                                            \
    if (flags & (O_CREAT | __O_TMPFILE)) {                      \
      va_list rest;                                             \
      va_start(rest, flags);                                    \
      mode = va_arg(rest, mode_t);                              \
      va_end(rest);                                             \
    }                                                           \
    CALL("open");                                               \
    onPath(&call, path, NULL);                                  \
    call.flags = flags;                                         \
    if (!call_begin(&call)) return -1;                               \
    int opened = call_opened(&call, next(path, flags, mode));   \
    if (call.counts) files_opened(opened, path);                \
    return opened;                                              \
  }

OPEN(open)
OPEN(open64)

/// The path counts as it is written; the descriptor of a directory is not looked up.
#define OPENAT(name)                                                     \
  int name(int directory, const char *path, int flags, ...) {            \
    NEXT(int, name, int, const char *, int, ...);                        \
    mode_t mode = 0;                                                     \
    if (flags & (O_CREAT | __O_TMPFILE)) {                               \
      va_list rest;                                                      \
      va_start(rest, flags);                                             \
      mode = va_arg(rest, mode_t);                                       \
      va_end(rest);                                                      \
    }                                                                    \
    CALL("open");                                                        \
    onPath(&call, path, NULL);                                           \
    call.flags = flags;                                                  \
    if (!call_begin(&call)) return -1;                                        \
    int opened = call_opened(&call, next(directory, path, flags, mode)); \
    if (call.counts) files_opened(opened, path);                         \
    return opened;                                                       \
  }

OPENAT(openat)
OPENAT(openat64)

DIR *opendir(const char *path) {
  NEXT(DIR *, opendir, const char *);
  CALL("opendir");
  onPath(&call, path, NULL);
  if (!call_begin(&call)) return NULL;
  DIR *stream = next(path);
  call_end(&call, stream ? 0 : -1);
  return stream;
}

int mkdir(const char *path, mode_t mode) {
  NEXT(int, mkdir, const char *, mode_t);
  CALL("mkdir");
  onPath(&call, path, NULL);
  return call_begin(&call) ? (int)call_end(&call, next(path, mode)) : -1;
}

int rmdir(const char *path) {
  NEXT(int, rmdir, const char *);
  CALL("rmdir");
  onPath(&call, path, NULL);
  return call_begin(&call) ? (int)call_end(&call, next(path)) : -1;
}

int unlink(const char *path) {
  NEXT(int, unlink, const char *);
  CALL("unlink");
  onPath(&call, path, NULL);
  return call_begin(&call) ? (int)call_end(&call, next(path)) : -1;
}

int unlinkat(int directory, const char *path, int flags) {
  NEXT(int, unlinkat, int, const char *, int);
  CALL("unlink");
  onPath(&call, path, NULL);
  return call_begin(&call) ? (int)call_end(&call, next(directory, path, flags)) : -1;
}

int link(const char *from, const char *to) {
  NEXT(int, link, const char *, const char *);
  CALL("link");
  onPath(&call, from, to);
  return call_begin(&call) ? (int)call_end(&call, next(from, to)) : -1;
}

int linkat(int fromDirectory, const char *from, int toDirectory, const char *to, int flags) {
  NEXT(int, linkat, int, const char *, int, const char *, int);
  CALL("link");
  onPath(&call, from, to);
  return call_begin(&call) ? (int)call_end(&call, next(fromDirectory, from, toDirectory, to, flags)) : -1;
}

int rename(const char *from, const char *to) {
  NEXT(int, rename, const char *, const char *);
  CALL("rename");
  onPath(&call, from, to);
  return call_begin(&call) ? (int)call_end(&call, next(from, to)) : -1;
}

int renameat2(int fromDirectory, const char *from, int toDirectory, const char *to,
              unsigned int flags) {
  NEXT(int, renameat2, int, const char *, int, const char *, unsigned int);
  CALL("renameat2");
  onPath(&call, from, to);
  call.flags = flags;
  return call_begin(&call) ? (int)call_end(&call, next(fromDirectory, from, toDirectory, to, flags)) : -1;
}

int access(const char *path, int mode) {
  NEXT(int, access, const char *, int);
  CALL("access");
  onPath(&call, path, NULL);
  return call_begin(&call) ? (int)call_end(&call, next(path, mode)) : -1;
}

#define STAT(name, word, type)                                          \
  int name(const char *path, struct type *facts) {                      \
    NEXT(int, name, const char *, struct type *);                       \
    CALL(word);                                                         \
    onPath(&call, path, NULL);                                          \
    return call_begin(&call) ? (int)call_end(&call, next(path, facts)) : -1;      \
  }

STAT(stat, "stat", stat)
STAT(stat64, "stat", stat64)
STAT(lstat, "lstat", stat)
STAT(lstat64, "lstat", stat64)

#endif
