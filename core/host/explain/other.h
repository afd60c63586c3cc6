/* other.h - what policies have decided besides checkpoints: what was pruned, what followed a
 * failure, what was done about a doubt, who refused a resume or asked a person about it, where a
 * policy failed, and what was taken out of any event. */
#ifndef CK_HOST_EXPLAIN_OTHER_H
#define CK_HOST_EXPLAIN_OTHER_H

#include "core/host/explain/said.h"
#include "core/host/print/document.h"

/* Events of this kind are a decision of policies, or can be one without recorded answers. */
bool ck_other_is_decision(ck_event_kind kind);

/* Borrows all of it. */
typedef struct ck_other {
  const ck_event *event;
  ck_bytes policies;     /* the run's list, JSON; no bytes: not known */
  bool abandoned;        /* a resume or a rewind has left it behind */
  bool own;              /* what its kind is about was decided by a policy, as far as is known */
  bool masked;           /* policies took something out of it */
  bool unasked;          /* at such an event a hook is asked, and no answer is recorded */
  bool decided;          /* one of both; false: by a person, or nobody was asked */
  ck_said_list said;     /* to prune, on_failure; of what has none of them to redact */
  const ck_event *leave; /* the answer of a person by which the effect could begin; NULL: none */
  const char *failure;   /* what a policy failed of; NULL: none did, or not known */
} ck_other;
void ck_other_read(ck_other *out, const ck_event *event, ck_bytes policies);

/* Short, for a row. Neither redacted nor escaped, as the next one. */
void ck_other_append_why(ck_buffer *out, const ck_other *self);
/* Whole sentences, each behind the one before, with a NUL at its end. */
void ck_other_append_sentences(ck_buffer *out, const ck_other *self);
/* The members of one object. */
void ck_other_put(ck_document *document, const ck_other *self);

#endif
