// Calls that take a descriptor. They count if its file was opened by a path that counts.

#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FSTAT(name, type)                                                \
  int name(int descriptor, struct type *facts) {                         \
    NEXT(int, name, int, struct type *);                                 \
    CALL("fstat");                                                       \
    onDescriptor(&call, descriptor);                                     \
    return call_begin(&call) ? (int)call_end(&call, next(descriptor, facts)) : -1; \
  }

FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

/// The descriptor is gone even if `close` fails.
int close(int descriptor) {
  NEXT(int, close, int);
  CALL("close");
  onDescriptor(&call, descriptor);
  char path[1024];
  if (call.counts) call.path = strcpy(path, call.path);
  bool fails = !call_begin(&call);
  int error = errno;
  files_closed(descriptor);
  int closed = next(descriptor);
  if (!fails) return (int)call_end(&call, closed);
  errno = error;
  return -1;
}

ssize_t read(int descriptor, void *buffer, size_t length) {
  NEXT(ssize_t, read, int, void *, size_t);
  CALL("read");
  onDescriptor(&call, descriptor);
  call.length = length;
  return call_begin(&call) ? call_end(&call, next(descriptor, buffer, call.length)) : -1;
}

#define PREAD(name, type)                                                               \
  ssize_t name(int descriptor, void *buffer, size_t length, type offset) {              \
    NEXT(ssize_t, name, int, void *, size_t, type);                                     \
    CALL("read");                                                                       \
    onDescriptor(&call, descriptor);                                                    \
    call.length = length;                                                               \
    call.offset = offset;                                                               \
    return call_begin(&call) ? call_end(&call, next(descriptor, buffer, call.length, offset)) : -1; \
  }

PREAD(pread, off_t)
PREAD(pread64, off64_t)

ssize_t write(int descriptor, const void *buffer, size_t length) {
  NEXT(ssize_t, write, int, const void *, size_t);
  CALL("write");
  onDescriptor(&call, descriptor);
  call.length = length;
  call.data = buffer;
  if (call.counts) call.offset = lseek(descriptor, 0, SEEK_CUR);
  return call_begin(&call) ? call_end(&call, next(descriptor, buffer, call.length)) : -1;
}

#define PWRITE(name, type)                                                              \
  ssize_t name(int descriptor, const void *buffer, size_t length, type offset) {        \
    NEXT(ssize_t, name, int, const void *, size_t, type);                               \
    CALL("write");                                                                      \
    onDescriptor(&call, descriptor);                                                    \
    call.length = length;                                                               \
    call.offset = offset;                                                               \
    call.data = buffer;                                                                 \
    return call_begin(&call) ? call_end(&call, next(descriptor, buffer, call.length, offset)) : -1; \
  }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define FTRUNCATE(name, type)                                             \
  int name(int descriptor, type length) {                                 \
    NEXT(int, name, int, type);                                           \
    CALL("ftruncate");                                                    \
    onDescriptor(&call, descriptor);                                      \
    call.offset = length;                                                 \
    return call_begin(&call) ? (int)call_end(&call, next(descriptor, length)) : -1; \
  }

FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                \
  int name(int descriptor) {                                      \
    NEXT(int, name, int);                                         \
    CALL(#name);                                                  \
    onDescriptor(&call, descriptor);                              \
    return call_begin(&call) ? (int)call_end(&call, next(descriptor)) : -1; \
  }

SYNC(fsync)
SYNC(fdatasync)

int fchmod(int descriptor, mode_t mode) {
  NEXT(int, fchmod, int, mode_t);
  CALL("fchmod");
  onDescriptor(&call, descriptor);
  call.flags = mode;
  return call_begin(&call) ? (int)call_end(&call, next(descriptor, mode)) : -1;
}

int flock(int descriptor, int operation) {
  NEXT(int, flock, int, int);
  CALL("flock");
  onDescriptor(&call, descriptor);
  call.flags = operation;
  return call_begin(&call) ? (int)call_end(&call, next(descriptor, operation)) : -1;
}

/// The file that is written decides whether the call counts.
ssize_t copy_file_range(int from, off64_t *fromOffset, int to, off64_t *toOffset, size_t length,
                        unsigned int flags) {
  NEXT(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned int);
  CALL("copy_file_range");
  onDescriptor(&call, to);
  call.length = length;
  call.other = files_path(from);
  if (call.counts) call.offset = toOffset ? *toOffset : lseek(to, 0, SEEK_CUR);
  if (!call_begin(&call)) return -1;
  off64_t start = fromOffset ? *fromOffset : lseek(from, 0, SEEK_CUR);
  ssize_t copied = next(from, fromOffset, to, toOffset, call.length, flags);
  int error = errno;
  void *data = call.counts && copied > 0 ? malloc((size_t)copied) : NULL;
  if (data && syscall(SYS_pread64, from, data, (size_t)copied, start) == copied) call.data = data;
  errno = error;
  call_end(&call, copied);
  free(data);
  return copied;
}

int ioctl(int descriptor, unsigned long request, ...) {
  NEXT(int, ioctl, int, unsigned long, ...);
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  CALL("ioctl");
  onDescriptor(&call, descriptor);
  call.flags = (long)request;
  return call_begin(&call) ? (int)call_end(&call, next(descriptor, request, argument)) : -1;
}

/// SQLite's locks. Other operations change nothing that a crash would leave.
#define FCNTL(name)                                                              \
  int name(int descriptor, int operation, ...) {                                 \
    NEXT(int, name, int, int, ...);                                              \
    va_list rest;                                                                \
    va_start(rest, operation);                                                   \
    void *argument = va_arg(rest, void *);                                       \
    va_end(rest);                                                                \
    CALL("fcntl");                                                               \
    if (operation == F_SETLK || operation == F_SETLKW || operation == F_GETLK)   \
      onDescriptor(&call, descriptor);                                           \
    call.flags = operation;                                                      \
    return call_begin(&call) ? (int)call_end(&call, next(descriptor, operation, argument)) : -1; \
  }

FCNTL(fcntl)
FCNTL(fcntl64)

#endif
