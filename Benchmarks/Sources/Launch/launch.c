// Runs a program and prints its cost on standard error: nanoseconds from start to end, nanoseconds of
// user and of system time, and its peak memory in kilobytes.
//
// It is small on purpose, because a process inherits the peak memory of the process that started it.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long nanoseconds(struct timeval time) {
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

int main(int count, char **arguments) {
  if (count < 2) return 64;
  long long begun = now();
  pid_t child = vfork();
  if (child == 0) {
    execv(arguments[1], arguments + 1);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 70;
  long long ended = now();
  fprintf(stderr, "cost %lld %lld %lld %ld\n", ended - begun, nanoseconds(usage.ru_utime),
          nanoseconds(usage.ru_stime), usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
