/* question.h - one question to a whole list of policies, and how their answers become one. */
#ifndef CK_LUA_POLICY_QUESTION_H
#define CK_LUA_POLICY_QUESTION_H

#include "lua/policy/ask.h"
#include "lua/policy/compose.h"

/* One question to the whole list. */
typedef struct question {
  asking call;       /* hook and arguments for each policy, and where its answer goes */
  const char *agent; /* whose policies are asked; NULL: those of the profile alone */
  const char *key;   /* redact: of the item; NULL: it has none */
  void *out;         /* the answer so far */
  bool settled;      /* no further policy is asked */
  /* Merges `answered` into `out`; `status`: of the call, which may have failed. Gives the status of
   * call and merge. NULL: the call points to the answer. */
  ck_status (*merge)(struct question *self, const asking *answered, ck_status status,
                     ck_error *err);
} question;

/* The first failure is the answer's status; the answers of later ones are closed all the same. */
CK_CHECKED ck_status ck_policy_ask_each(policy_list *self, question *about, ck_error *err);

/* redact of a ck_policy_engine. */
CK_CHECKED ck_status ck_policy_engine_redact(ck_redaction *out, void *self, const ck_item *given,
                                             ck_error *err);

#endif
