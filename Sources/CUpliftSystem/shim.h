// The functions that Swift cannot call by itself: the C library declares them only under
// _GNU_SOURCE, or they are variadic, or their header is not in the module of the C library, or the
// fields of the structure that they take have other names in each C library.

#ifndef UPLIFT_SYSTEM_SHIM_H
#define UPLIFT_SYSTEM_SHIM_H

#include <signal.h>
#include <stddef.h>

/// Installs a function as the handler of a signal, unless the signal is ignored: `sigaction` with
/// SA_RESTART. The signals in `others` wait until the handler has returned.
static inline void uplift_handle_signal(int number, void (*function)(int), sigset_t others) {
  struct sigaction before;
  if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action = {.sa_handler = function, .sa_mask = others, .sa_flags = SA_RESTART};
  sigaction(number, &action, NULL);
}

#if defined(__linux__)

#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t count,
                        unsigned int flags);
int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned int flags);

int sync_file_range(int file, off_t offset, off_t length, unsigned int flags);

/// Tells the kernel to begin writing a part of a file to the disk: `sync_file_range` with
/// SYNC_FILE_RANGE_WRITE.
static inline int uplift_start_writing(int file, off_t offset, off_t length) {
  return sync_file_range(file, offset, length, 2);
}

/// Waits until a part of a file is on the disk: `sync_file_range` with
/// SYNC_FILE_RANGE_WAIT_BEFORE.
static inline int uplift_finish_writing(int file, off_t offset, off_t length) {
  return sync_file_range(file, offset, length, 1);
}

/// `O_PATH`: the descriptor names a file, but can neither read nor write it.
static const int uplift_open_path = 010000000;

/// Changes the owner of a file that such a descriptor names: `fchownat` with AT_EMPTY_PATH.
static inline int uplift_give_file(int file, uid_t user, gid_t group) {
  return fchownat(file, "", user, group, 0x1000);
}

/// Makes one file share the blocks of another: `ioctl` with FICLONE. Few file systems support it.
static inline int uplift_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }

/// `RENAME_NOREPLACE`: `renameat2` fails with EEXIST if the new name is taken.
static const unsigned int uplift_rename_noreplace = 1;

#endif
#endif
