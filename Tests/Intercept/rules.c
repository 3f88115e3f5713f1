#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum action { FAILS, SHORTENS, DELAYS, KILLS, KILLS_AFTER };

struct rule {
  enum action action;
  long value;
  const char *call;
  const char *suffix;
  unsigned long at;
  /// How many times it acts.
  unsigned long times;
  atomic_ulong seen;
};

enum { RULES = 16 };

static struct rule rules[RULES];
static int count;
static char text[4096];

static void parse(char *line) {
  struct rule *rule = &rules[count];
  rule->at = 1;
  rule->times = 1;
  char *rest = NULL;
  for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    if (strcmp(word, "kill") == 0) rule->action = KILLS;
    else if (strcmp(word, "killed") == 0) rule->action = KILLS_AFTER;
    else if (strcmp(word, "on") == 0) rule->times = ULONG_MAX;
    else {
      char *value = strtok_r(NULL, " ", &rest);
      if (!value) abort();
      if (strcmp(word, "call") == 0) rule->call = value;
      else if (strcmp(word, "path") == 0) rule->suffix = value;
      else if (strcmp(word, "at") == 0) rule->at = strtoul(value, NULL, 10);
      else if (strcmp(word, "times") == 0) rule->times = strtoul(value, NULL, 10);
      else if (strcmp(word, "room") == 0) {
        room_begin(atoll(value));
        return;
      }
      else {
        if (strcmp(word, "fail") == 0) rule->action = FAILS;
        else if (strcmp(word, "short") == 0) rule->action = SHORTENS;
        else if (strcmp(word, "delay") == 0) rule->action = DELAYS;
        else abort();
        rule->value = atol(value);
      }
    }
  }
  count++;
}

void rules_begin(const char *given) {
  memset(rules, 0, sizeof rules);
  count = 0;
  room_begin(-1);
  if (!given) return;
  // A rule that cannot be read must not look like a call that no rule matched.
  if (strlen(given) >= sizeof text) abort();
  strcpy(text, given);
  char *rest = NULL;
  for (char *line = strtok_r(text, ";", &rest); line; line = strtok_r(NULL, ";", &rest)) {
    if (count == RULES) abort();
    parse(line);
  }
}

static bool ends(const char *path, const char *suffix) {
  size_t length = path ? strlen(path) : 0, tail = strlen(suffix);
  return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

static bool acts(struct rule *rule, const struct call *call) {
  if (rule->call && strcmp(rule->call, call->name) != 0) return false;
  if (rule->suffix && !ends(call->path, rule->suffix)) return false;
  unsigned long number = atomic_fetch_add(&rule->seen, 1) + 1;
  return number >= rule->at && number - rule->at < rule->times;
}

enum outcome rules_judge(struct call *call, int *error) {
  enum outcome outcome = PASS;
  for (int index = 0; index < count; index++) {
    struct rule *rule = &rules[index];
    if (!acts(rule, call)) continue;
    switch (rule->action) {
      case FAILS:
        *error = (int)rule->value;
        if (outcome == PASS) outcome = FAIL;
        break;
      case SHORTENS:
        if (call->length > (size_t)rule->value) call->length = (size_t)rule->value;
        break;
      case DELAYS: {
        struct timespec time = {rule->value / 1000, rule->value % 1000 * 1000000};
        nanosleep(&time, NULL);
        break;
      }
      case KILLS: outcome = KILL; break;
      case KILLS_AFTER: call->isLast = true; break;
    }
  }
  return outcome;
}

#endif
