#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_bool isLimited = false;
/// May be negative: a cut that makes a file longer is not refused.
static atomic_llong left = 0;

void room_begin(long long bytes) {
  left = bytes;
  isLimited = bytes >= 0;
}

static bool is(const struct call *call, const char *name) { return strcmp(call->name, name) == 0; }

static bool isUnlink(const struct call *call) { return is(call, "unlink"); }

/// Calls the system directly, past the definitions of this library.
static long long size(const struct call *call) {
  struct stat facts;
  if (isUnlink(call)) {
    bool isLast = syscall(SYS_newfstatat, AT_FDCWD, call->path, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                  facts.st_nlink == 1;
    return isLast ? facts.st_size : 0;
  }
  return syscall(SYS_fstat, call->descriptor, &facts) == 0 ? facts.st_size : 0;
}

bool room_judge(struct call *call, int *error) {
  if (!isLimited) return true;
  bool isWrite = is(call, "write") || is(call, "copy_file_range");
  bool isCut = is(call, "ftruncate");
  if (!isWrite && !isCut && !isUnlink(call)) return true;
  call->size = size(call);
  if (!isWrite) return true;
  long long growth = call->offset + (long long)call->length - call->size;
  if (growth <= left) return true;
  long long fits = (long long)call->length - (growth - left);
  *error = ENOSPC;
  if (fits <= 0) return false;
  call->length = (size_t)fits;
  return true;
}

void room_settle(const struct call *call) {
  if (!isLimited) return;
  if (isUnlink(call)) {
    left += call->size - size(call);
  } else if (is(call, "write") || is(call, "copy_file_range") || is(call, "ftruncate")) {
    left -= size(call) - call->size;
  }
}

#endif
