// One call: its arguments, whether it counts, and its result.

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
  /// The descriptor that it takes or returns; -1 if there is none.
  int descriptor;
  long long offset;
  size_t length;
  long flags;
  /// The bytes that are written, for a log with data.
  const void *data;
  /// The size of the file before the call, if the room on the disk is limited.
  long long size;
  bool counts;
  /// The process ends right after the call.
  bool isLast;
};

/// The next definition of the function, the C library's. Threads may look it up at the same moment.
#define NEXT(result, name, ...)                                                        \
  static void *_Atomic found;                                                          \
  void *known = atomic_load_explicit(&found, memory_order_relaxed);                    \
  if (!known) atomic_store_explicit(&found, known = dlsym(RTLD_NEXT, #name), memory_order_relaxed); \
  result (*next)(__VA_ARGS__) = (result(*)(__VA_ARGS__))known

#define CALL(word) \
  struct call call = {.name = word, .caller = __builtin_return_address(0), .descriptor = -1, .offset = -1}

// calls.c: the steps that all calls share.

void onPath(struct call *call, const char *path, const char *other);
void onDescriptor(struct call *call, int descriptor);
/// False if a rule makes the call fail; errno says how.
bool call_begin(struct call *call);
/// Records the result, and returns it.
long long call_end(struct call *call, long long result);
/// The same, for a call that returns a descriptor.
int call_opened(struct call *call, int descriptor);

// files.c: which paths count, and which file a descriptor was opened as.

/// From now on, calls in this directory count; null: none.
void files_begin(const char *directory);
bool files_count(const char *path);
void files_opened(int descriptor, const char *path);
void files_closed(int descriptor);
/// The path by which the descriptor was opened; null if it does not count.
const char *files_path(int descriptor);

// rules.c: what a rule does to a call.

enum outcome { PASS, FAIL, KILL };

void rules_begin(const char *given);
/// Applies the rules. It may sleep, and may shorten the call.
enum outcome rules_judge(struct call *call, int *error);

// room.c: a disk that can become full.

/// The files may grow by this many bytes; -1: without a limit.
void room_begin(long long bytes);
/// False if there is no room. If there is too little, the call is shortened.
bool room_judge(struct call *call, int *error);
/// Counts the room that the call took or released.
void room_settle(const struct call *call);

// record.c: the log.

/// Begins a log of lines, or one with data; null: none.
void record_begin(const char *path, bool hasData);
void record(const struct call *call, long long result);

#endif
