/* fuzz.h - the fuzzing targets: each takes any bytes, and holds what came of them to a promise. */
#ifndef CK_TESTS_FUZZ_H
#define CK_TESTS_FUZZ_H

#include <stdbool.h>

#include "core/base/buffer.h"

/* X(name): fuzz_NAME in fuzz_NAME.c; its inputs are tests/fuzz/corpus/NAME. A target keeps nothing
 * of an input that the next one could see. */
#define FUZZ_TARGET_TABLE(X) \
  X(answer)                  \
  X(cassette)                \
  X(checkpoint)              \
  X(codec)                   \
  X(import)                  \
  X(json)                    \
  X(jsonrpc)                 \
  X(personal)                \
  X(profile)                 \
  X(redact)                  \
  X(sse)                     \
  X(store)

#define X(name) void fuzz_##name(ck_bytes input);
FUZZ_TARGET_TABLE(X)
#undef X

typedef struct fuzz_target {
  const char *name;
  void (*run)(ck_bytes input);
} fuzz_target;
/* Ends with a target without a name. */
extern const fuzz_target fuzz_targets[];
/* NULL: no target has that name. */
const fuzz_target *fuzz_find(const char *name);

/* A promise: when it is broken, says so and aborts, which is what a fuzzer looks for. */
#define fuzz_must(...) fuzz_must_at(__FILE__, __LINE__, __VA_ARGS__)
void fuzz_must_at(const char *file, int line, bool held, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Takes a byte off the front; 0 when there is none. */
unsigned fuzz_byte(ck_bytes *from);
/* Takes up to `most` bytes off the front. */
ck_bytes fuzz_take(ck_bytes *from, size_t most);
/* The same bytes in an allocation of exactly their size, so that a sanitizer sees each read beyond
 * them. Free it with free. */
char *fuzz_exact(ck_bytes bytes);
/* "a file that holds these bytes", of this process alone; the path is overwritten by the next one.
 */
const char *fuzz_file(ck_bytes bytes, const char *name);

#endif
