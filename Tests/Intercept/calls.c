// The steps that all calls share: describe the call, apply the rules, forward it, record it.

#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"
#include "intercept.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void) {
  intercept_begin(
      getenv("UPLIFT_INTERCEPT_ROOT"), getenv("UPLIFT_INTERCEPT_RULES"),
      getenv("UPLIFT_INTERCEPT_LOG"), false);
}

void intercept_begin(const char *root, const char *rules, const char *log, bool hasData) {
  files_begin(root);
  rules_begin(rules);
  record_begin(log, hasData);
}

void onPath(struct call *call, const char *path, const char *other) {
  call->path = path;
  call->other = other;
  call->counts = files_count(path) || files_count(other);
}

void onDescriptor(struct call *call, int descriptor) {
  call->descriptor = descriptor;
  call->path = files_path(descriptor);
  call->counts = call->path != NULL;
}

bool call_begin(struct call *call) {
  if (!call->counts) return true;
  int error = 0;
  enum outcome outcome = rules_judge(call, &error);
  if (outcome == PASS && room_judge(call, &error)) return true;
  // The process ended before the call, which has changed nothing.
  record(call, outcome == KILL ? -ECANCELED : -error);
  if (outcome == KILL) kill(getpid(), SIGKILL);
  errno = error;
  return false;
}

long long call_end(struct call *call, long long result) {
  if (!call->counts) return result;
  int error = errno;
  room_settle(call);
  record(call, result == -1 ? -error : result);
  if (call->isLast) kill(getpid(), SIGKILL);
  errno = error;
  return result;
}

int call_opened(struct call *call, int descriptor) {
  call->descriptor = descriptor;
  return (int)call_end(call, descriptor);
}

#else
#include "intercept.h"
#include <stddef.h>
void intercept_begin(const char *root, const char *rules, const char *log, bool hasData) {
  (void)root, (void)rules, (void)log, (void)hasData;
}
#endif
