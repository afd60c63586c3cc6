/* effect_class.h - the kinds of effects, and the classes that say which may be repeated. */
#ifndef CK_MODEL_EFFECT_CLASS_H
#define CK_MODEL_EFFECT_CLASS_H

#include <stdbool.h>

/* X(enumerator, name). The names are part of effect keys on disk. */
/* clang-format off */
#define CK_EFFECT_KIND_TABLE(X) \
  X(CK_EFFECT_MODEL, "model") \
  X(CK_EFFECT_TOOL, "tool") \
  X(CK_EFFECT_EXEC, "exec") \
  X(CK_EFFECT_AGENT, "agent") \
  X(CK_EFFECT_SLEEP, "sleep") \
  X(CK_EFFECT_ASK, "ask") \
  X(CK_EFFECT_READ, "read") \
  X(CK_EFFECT_AGENT_TOOL, "agent_tool") /* an agent's own: permitted, never carried out here */
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_EFFECT_KIND_TABLE(X)
#undef X
      CK_EFFECT_KIND_COUNT
} ck_effect_kind;

/* X(enumerator, name): whether an effect may be repeated when its outcome is not known. */
/* clang-format off */
#define CK_EFFECT_CLASS_TABLE(X) \
  X(CK_EFFECT_PURE, "pure") /* re-run freely */ \
  X(CK_EFFECT_IDEMPOTENT, "idempotent") /* re-run with the same key */ \
  X(CK_EFFECT_RECONCILABLE, "reconcilable") /* ask its probe */ \
  X(CK_EFFECT_ONCE, "once")                 /* never re-run blindly */
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_EFFECT_CLASS_TABLE(X)
#undef X
      CK_EFFECT_CLASS_COUNT
} ck_effect_class;

const char *ck_effect_kind_name(ck_effect_kind kind);
const char *ck_effect_class_name(ck_effect_class of);
/* True when an effect may be repeated without a question: pure or idempotent. */
bool ck_effect_class_repeats(ck_effect_class of);
/* False when there is no such name. */
bool ck_effect_kind_of(ck_effect_kind *out, const char *name);
bool ck_effect_class_of(ck_effect_class *out, const char *name);

#endif
