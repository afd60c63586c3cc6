/* said.h - who said what at one event: the recorded answers with the names of their policies and
 * their reasons. */
#ifndef CK_HOST_EXPLAIN_SAID_H
#define CK_HOST_EXPLAIN_SAID_H

#include "core/model/answers.h"
#include "core/model/event.h"

typedef struct ck_said {
  int place;       /* in the run's list, from 0; -1: not known */
  ck_bytes policy; /* what is kept of it: a JSON object; no bytes: nothing */
  ck_bytes name;   /* JSON string; no bytes: not known */
  int64_t version; /* 0: not known */
  int answer;      /* of the hook's */
  ck_bytes reason; /* JSON, as it was recorded; no bytes: none was given */
  bool namesakes;  /* another list of the run's has a policy of this name */
} ck_said;

enum { CK_SAID_MAX = CK_ANSWERS_POLICIES * CK_ANSWER_COUNT };
typedef struct ck_said_list {
  ck_hook hook;
  /* CK_OK; CK_E_EMPTY: an earlier ckrun wrote the event, or nobody asks there; CK_E_NEWER,
   * CK_E_CORRUPT: what is recorded cannot be told */
  ck_status recorded;
  int64_t took_us;           /* when recorded */
  uint64_t asked;            /* bit i: policy i was asked, when recorded */
  ck_said list[CK_SAID_MAX]; /* by place; behind them those of whom a reason alone is known */
  size_t count;
} ck_said_list;

/* What is said of `hook` in `event`. `policies`: JSON array, as ck_policy_describe makes it (of the
 * event's run); no bytes: not known. Borrows both for the list's life. */
void ck_said_read(ck_said_list *out, const ck_event *event, ck_hook hook, ck_bytes policies);
/* More than one of the run's list has the name of `policy`, one of them. */
bool ck_said_has_namesakes(ck_bytes policy, ck_bytes policies);
/* Behind a name in words: " of the profile", " of agent shop", where another list has it, too. */
void ck_said_append_list(ck_buffer *out, ck_bytes policy, bool namesakes);
/* Said yes to a checkpoint. */
bool ck_said_is_yes(const ck_said *self);

#endif
