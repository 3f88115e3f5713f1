// The calls of Linux that the C library hides from Swift: it declares them only under
// _GNU_SOURCE, or they are variadic, or their header is not in its module.

#ifndef UPLIFT_SYSTEM_SHIM_H
#define UPLIFT_SYSTEM_SHIM_H

#if defined(__linux__)

#include <fcntl.h>
#include <linux/fs.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t count,
                        unsigned int flags);
int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned int flags);

int sync_file_range(int file, off_t offset, off_t length, unsigned int flags);

/// Has the kernel begin to write a part of a file to the disk: SYNC_FILE_RANGE_WRITE.
static inline int uplift_start_writing(int file, off_t offset, off_t length) {
  return sync_file_range(file, offset, length, 2);
}

/// Waits until a part of a file is on the disk: SYNC_FILE_RANGE_WAIT_BEFORE.
static inline int uplift_finish_writing(int file, off_t offset, off_t length) {
  return sync_file_range(file, offset, length, 1);
}

/// `O_PATH`: a descriptor that names a file and does not open it.
static const int uplift_open_path = 010000000;

/// Gives the file of such a descriptor to somebody: AT_EMPTY_PATH.
static inline int uplift_give_file(int file, uid_t user, gid_t group) {
  return fchownat(file, "", user, group, 0x1000);
}

/// Makes one file share the blocks of another, on a file system that can.
static inline int uplift_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }

/// Has the C library keep up to 64 MB that were freed at the end of its heap, where it can be told.
/// It also stays at 128 KB, then, as the size from which on it maps a block apart.
static inline void uplift_keep_memory(void) {
#if defined(M_TRIM_THRESHOLD)
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

/// `RENAME_NOREPLACE`: fail with EEXIST where the new name is taken.
static const unsigned int uplift_rename_noreplace = 1;

#endif
#endif
