/* patterns.h - finds many byte strings in one pass: the shift table of Wu and Manber (1994) over
 * blocks of three bytes. */
#ifndef CK_REDACT_PATTERNS_H
#define CK_REDACT_PATTERNS_H

#include "core/base/buffer.h"
#include "core/base/locked.h"

enum { CK_PATTERN_MIN = 4, CK_PATTERN_BLOCKS = 8192 };

typedef struct ck_pattern {
  char *bytes;
  size_t len;
  uint32_t owner; /* the caller's */
  uint32_t next;  /* index + 1 of the next with the same block */
} ck_pattern;

/* Zero-initialise to begin. */
typedef struct ck_patterns {
  ck_pattern *list;
  size_t count, cap;
  ck_locked_pool bytes;
  size_t window; /* bytes compared by the table: the length of the shortest pattern, at most 32 */
  uint8_t shifts[CK_PATTERN_BLOCKS];
  uint32_t heads[CK_PATTERN_BLOCKS];
} ck_patterns;

/* Copies `bytes`; bytes shorter than CK_PATTERN_MIN are not added. */
CK_CHECKED ck_status ck_patterns_append(ck_patterns *self, ck_bytes bytes, uint32_t owner,
                                        ck_error *err);
/* Call it when all patterns are added, before the first search. */
void ck_patterns_init(ck_patterns *self);
/* The longest pattern at the first position at or after `*at` where one begins; `*at` moves there.
 * NULL: none up to the end. */
const ck_pattern *ck_patterns_next(const ck_patterns *self, ck_bytes text, size_t *at);
/* Wipes the bytes. */
void ck_patterns_clear(ck_patterns *self);

#endif
