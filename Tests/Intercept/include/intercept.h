// File-system calls of a test's helper program, and of the libsqlite3 that it links, seen,
// logged and stopped. Linked into an executable, these definitions stand before the C
// library's for every shared library as well; without the variables below they only forward.
//
//   UPLIFT_INTERCEPT_ROOT   a directory: only calls on paths in it count
//   UPLIFT_INTERCEPT_LOG    a file: one line is appended for each call that counts
//   UPLIFT_INTERCEPT_RULES  what happens to calls, rules separated by ";":
//
//     fail ERRNO | short BYTES | delay MILLISECONDS | kill | killed
//       [call NAME] [path SUFFIX] [at N] [on | times M]
//     room BYTES
//
// A rule counts the calls that match it, and acts on the N-th (else the first); with "on", on
// all that follow too, with "times", on M in all. "room" is what the files may grow by: then
// the disk is full. "kill" ends the process before the call, "killed" right after it. A call
// that is not supported is one that fails with ENOSYS (38), on.
//
// A line of the log has these fields, separated by tabs: a number from 1, who called (sqlite or
// program), the call, its result or minus the errno, offset (-1: none), length, flags or
// operation, path, second path.

#ifndef UPLIFT_INTERCEPT_H
#define UPLIFT_INTERCEPT_H

#include <stdbool.h>

/// Begins anew, in place of what the environment said: for a process that forks its boots. Each
/// may be null. A log with data holds, instead of lines, a record for each call: see record.c.
void intercept_begin(const char *root, const char *rules, const char *log, bool hasData);

/// Writes a line of the caller's own into the log, between the calls: what was promised when.
void intercept_note(const char *words);

#endif
