// What a test's helper needs and Swift cannot say: fork, and an allocator for SQLite that fails.

#ifndef UPLIFT_CHILD_H
#define UPLIFT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/// A copy of this process: 0 in the copy. Only for a process with one thread.
pid_t child_fork(void);

/// Puts an allocator under SQLite, before its first use, that fails the N-th time it is asked
/// (0: never), and then always where `on` is true.
void child_starve(unsigned long at, bool on);

/// How often SQLite has asked, and how many pieces it has not given back.
unsigned long child_allocations(void);
long child_outstanding(void);

/// From now on SQLite waits for nobody.
void child_hurry(void);

#endif
