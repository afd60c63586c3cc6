/* leave_words.h - what several policies say of an effect that is about to begin, made one answer.
 */
#ifndef CK_LUA_POLICY_LEAVE_WORDS_H
#define CK_LUA_POLICY_LEAVE_WORDS_H

#include "core/runtime/session/policy.h"

/* The answer so far. Zero-initialise: it is allowed. */
typedef struct leave_words {
  ck_leave_word word;
  bool approved;            /* one says that it is allowed */
  ck_buffer policies, text; /* until they are taken */
  ck_answers answers;       /* who said what */
} leave_words;

/* A stronger word takes the place of those before it; one of the same strength is added. */
void ck_leave_words_add(leave_words *self, const char *policy, ck_leave_word word, ck_bytes text);
/* Empties it. False: no memory for the texts, and the answer asks. */
bool ck_leave_words_take(ck_leave *out, leave_words *self);

#endif
