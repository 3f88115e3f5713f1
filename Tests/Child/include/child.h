// For the helper of the crash tests: fork, and an allocator for SQLite that fails.

#ifndef UPLIFT_CHILD_H
#define UPLIFT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/// Copies this process, which must have one thread; returns 0 in the copy.
pid_t child_fork(void);

/// Gives SQLite an allocator that fails the N-th time that it is asked
/// (0: never), and always after that if `on` is true. Call it before SQLite is used.
void child_starve(unsigned long at, bool on);

/// How often SQLite has asked for memory, and how many allocations it has not freed.
unsigned long child_allocations(void);
long child_outstanding(void);

/// From now on SQLite does not wait for locks.
void child_hurry(void);

#endif
