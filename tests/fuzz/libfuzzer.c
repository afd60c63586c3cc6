/* libfuzzer.c - what libFuzzer calls: the target that $FUZZ_TARGET names. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const fuzz_target *chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *name = getenv("FUZZ_TARGET");
  chosen = name ? fuzz_find(name) : NULL;
  if (chosen) return 0;
  fprintf(stderr, "FUZZ_TARGET=%s: must be one of", name ? name : "");
  for (const fuzz_target *target = fuzz_targets; target->name; target++)
    fprintf(stderr, " %s", target->name);
  fprintf(stderr, "\n");
  exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  chosen->run((ck_bytes){(const char *)data, len});
  return 0;
}
