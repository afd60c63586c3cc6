/* dimension.h - the dimensions that constraints limit, and a limit that is hit. */
#ifndef CK_RUNTIME_BUDGET_DIMENSION_H
#define CK_RUNTIME_BUDGET_DIMENSION_H

#include <stdint.h>

/* X(enumerator, name, the state key that overrides the session's limit, how many of our units one
 * unit of that key is). */
/* clang-format off */
#define CK_DIMENSION_TABLE(X) \
  X(CK_DIMENSION_BUDGET, "budget", "limits.budget_usd", 1000000) /* micro-dollars */ \
  X(CK_DIMENSION_TIME, "time", "limits.time_s", 1000)            /* active milliseconds */ \
  X(CK_DIMENSION_ROUNDS, "rounds", "limits.rounds", 1) \
  X(CK_DIMENSION_TOKENS, "tokens", "limits.tokens", 1) \
  X(CK_DIMENSION_TOOL_CALLS, "tool_calls", "limits.tool_calls", 1) \
  X(CK_DIMENSION_MODEL_CALLS, "model_calls", "limits.model_calls", 1)
/* clang-format on */
typedef enum {
#define X(name, text, key, scale) name,
  CK_DIMENSION_TABLE(X)
#undef X
      CK_DIMENSION_COUNT
} ck_dimension;
const char *ck_dimension_name(ck_dimension dimension);

/* A limit that an effect or a boundary would pass. */
typedef struct ck_limit_hit {
  ck_dimension dimension;
  const char *agent; /* whose limit; NULL: the session's. Borrowed from the call's payers */
  int64_t spent, limit;
  int64_t reserved; /* for effects under way, and for paid calls that are not settled */
  int64_t passing;  /* the part of it for effects under way */
  int64_t asked;    /* how much the effect would take; -1: not known beforehand */
} ck_limit_hit;

#endif
