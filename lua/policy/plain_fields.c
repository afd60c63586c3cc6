/* plain_fields.c - the tables within views that are no views. */
#include "lua/policy/plain_fields.h"

#include <string.h>

/* clang-format off */
const plain_class ck_plain_classes[] = {
  {"ck.Call", "A call of a model's answer that has not been made yet, or of a tool that ran.", {
    {"tool", "string", ""},
    {"class", "ck.EffectClass|nil", "nil: it is a function of the flow, or no such tool"},
    {"id", "string|nil", "as the model gave it"},
  }},
  {"ck.Message", "The last message of a scope that is no tool's result.", {
    {"role", "string", "\"assistant\", \"user\", \"system\", …"},
    {"length", "integer", "bytes of its text, as it is stored"},
    {"text", "string|nil", "that text, where the profile has `message_text`; nil: it has not"},
    {"calls", "ck.Call[]|nil", "what it calls; nil: nothing"},
  }},
  {"ck.ModelUse", "What an agent asked models for under one name of the flow.", {
    {"agent", "string|nil", "nil: no agent of a name, or nobody has asked yet"},
    {"name", "string", "as the flow calls it"},
    {"was", "string|nil", "its name at the provider when it was asked last; nil: not known"},
    {"now", "string|nil", "its name at the provider now; nil: the profile has none"},
  }},
  {0},
};
/* clang-format on */

const plain_class *ck_plain_class_of(const char *type) {
  for (const plain_class *of = ck_plain_classes; of->class; of++) {
    size_t len = strlen(of->class);
    if (strncmp(type, of->class, len) == 0 && (!type[len] || strchr("[|", type[len]))) return of;
  }
  return NULL;
}
