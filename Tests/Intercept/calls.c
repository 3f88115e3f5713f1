// What all calls have in common: described, judged, forwarded, recorded.

#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void) {
  files_begin();
  rules_begin();
  record_begin();
}

void onPath(struct call *call, const char *path, const char *other) {
  call->path = path;
  call->other = other;
  call->counts = files_count(path) || files_count(other);
}

void onDescriptor(struct call *call, int descriptor) {
  call->path = files_path(descriptor);
  call->counts = call->path != NULL;
}

bool call_begin(struct call *call) {
  if (!call->counts) return true;
  int error = 0;
  enum outcome outcome = rules_judge(call, &error);
  if (outcome == PASS) return true;
  record(call, -error);
  if (outcome == KILL) kill(getpid(), SIGKILL);
  errno = error;
  return false;
}

long long call_end(struct call *call, long long result) {
  if (!call->counts) return result;
  int error = errno;
  record(call, result == -1 ? -error : result);
  if (call->isLast) kill(getpid(), SIGKILL);
  errno = error;
  return result;
}

#endif
