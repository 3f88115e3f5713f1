#if defined(__linux__)
#define _GNU_SOURCE
#include "call.h"

#include <stdatomic.h>
#include <string.h>

enum { DESCRIPTORS = 512, LONGEST = 1024 };

static char root[LONGEST];
static size_t rootLength;
static char paths[DESCRIPTORS][LONGEST];
/// The descriptors that count. Threads open and close at the same moment, but never the same one.
static atomic_bool isKnown[DESCRIPTORS];

void files_begin(const char *directory) {
  rootLength = 0;
  if (!directory || strlen(directory) >= LONGEST) return;
  strcpy(root, directory);
  rootLength = strlen(root);
}

bool files_count(const char *path) {
  return rootLength > 0 && path && strncmp(path, root, rootLength) == 0 &&
         (path[rootLength] == '/' || path[rootLength] == 0);
}

void files_opened(int descriptor, const char *path) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS || strlen(path) >= LONGEST) return;
  strcpy(paths[descriptor], path);
  isKnown[descriptor] = true;
}

void files_closed(int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) isKnown[descriptor] = false;
}

const char *files_path(int descriptor) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS) return NULL;
  return isKnown[descriptor] ? paths[descriptor] : NULL;
}

#endif
