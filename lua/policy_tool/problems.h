/* problems.h - what is wrong with a policy, each with its place; one mistake is told once. */
#ifndef CK_LUA_POLICY_TOOL_PROBLEMS_H
#define CK_LUA_POLICY_TOOL_PROBLEMS_H

#include "core/base/buffer.h"
#include "core/model/script.h"

/* Zero-initialise. */
typedef struct policy_problems {
  ck_buffer list;  /* the elements of a JSON array of {place, text} */
  ck_buffer notes; /* the same of {place, text, needs} */
  bool state;      /* the text was seen to keep something between calls */
} policy_problems;

/* What the text shows. */
void ck_policy_problems_put(policy_problems *self, const char *file, int64_t line,
                            const char *text);
/* What is a mistake unless the profile has the setting that it `needs`; once. */
void ck_policy_problems_note(policy_problems *self, const char *file, int64_t line,
                             const char *needs, const char *text);
/* What a call or loading came to, "FILE:LINE: MESSAGE" or without a place of its own, which then is
 * `line` of `file`; FILE may also be one of `scripts`. Left out when a problem at that place has
 * the same text, or a 'name' that this one has, too. */
void ck_policy_problems_put_error(policy_problems *self, const char *file,
                                  const ck_scripts *scripts, int line, const char *text);
void ck_policy_problems_clear(policy_problems *self);

#endif
