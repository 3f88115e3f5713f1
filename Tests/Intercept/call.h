// One call on its way: what it is, whether it counts, what becomes of it.

#ifndef UPLIFT_INTERCEPT_CALL_H
#define UPLIFT_INTERCEPT_CALL_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct call {
  const char *name;
  const void *caller;
  const char *path;
  const char *other;
  /// What it was called with, or has opened; -1 where there is none.
  int descriptor;
  long long offset;
  size_t length;
  long flags;
  /// What is written: for a log with data.
  const void *data;
  /// Of the file, before: where the room on the disk is limited.
  long long size;
  bool counts;
  /// The process ends right after it.
  bool isLast;
};

/// The definition behind this one: the C library's. Threads may look for it at the same moment.
#define NEXT(result, name, ...)                                                        \
  static void *_Atomic found;                                                          \
  void *known = atomic_load_explicit(&found, memory_order_relaxed);                    \
  if (!known) atomic_store_explicit(&found, known = dlsym(RTLD_NEXT, #name), memory_order_relaxed); \
  result (*next)(__VA_ARGS__) = (result(*)(__VA_ARGS__))known

#define CALL(word) \
  struct call call = {.name = word, .caller = __builtin_return_address(0), .descriptor = -1, .offset = -1}

// calls.c: what all calls have in common.

void onPath(struct call *call, const char *path, const char *other);
void onDescriptor(struct call *call, int descriptor);
/// False where the call has failed by a rule; errno says how.
bool call_begin(struct call *call);
/// Records the result, and passes it through.
long long call_end(struct call *call, long long result);
/// The same, for what makes a descriptor.
int call_opened(struct call *call, int descriptor);

// files.c: which paths count, and which file a descriptor was opened as.

/// Calls in this directory count from now on; null: none.
void files_begin(const char *directory);
bool files_count(const char *path);
void files_opened(int descriptor, const char *path);
void files_closed(int descriptor);
/// The path under which the descriptor was opened; null where it does not count.
const char *files_path(int descriptor);

// rules.c: what happens to a call.

enum outcome { PASS, FAIL, KILL };

void rules_begin(const char *given);
/// Finds what the rules say; may sleep, and may shorten the call.
enum outcome rules_judge(struct call *call, int *error);

// room.c: a disk that can be full.

/// The files may grow by so many bytes; -1: no end of them.
void room_begin(long long bytes);
/// False where the call finds no room; it is shortened to what there is.
bool room_judge(struct call *call, int *error);
/// Counts what the call took or gave back.
void room_settle(const struct call *call);

// record.c: the log.

/// Begins a log in lines, or one with data; null: none.
void record_begin(const char *path, bool hasData);
void record(const struct call *call, long long result);

#endif
