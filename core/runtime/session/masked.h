/* masked.h - what policies took out of what is written, kept for the event that it belongs to: of
 * the event's own body in its member `redacted`, of keys in the member `redacted_keys` of the next
 * boundary. Never what was taken out: which policies, by which rule, and where.
 *
 *   redacted:      {drop?, mask?, ref?, texts?: places of policies in the run's list, paths?,
 * more?} redacted_keys: [{key, the same}]
 *
 * The rule that was carried out is there also when none of its policies has a place (see
 * core/model/answers.h). `paths`, of texts: "message.content", "items[0].name"; `more`: how many
 * are not told. */
#ifndef CK_RUNTIME_SESSION_MASKED_H
#define CK_RUNTIME_SESSION_MASKED_H

#include "core/model/state.h"
#include "core/runtime/session/policy.h"

enum { CK_MASKED_PATHS = 8, CK_MASKED_PATH_MAX = 200 };

/* Zero but for `keys`: nobody was asked. */
typedef struct ck_masked {
  ck_event_kind kind; /* whose body the policies are shown */
  const char *agent;  /* of that event; borrowed for the call */
  ck_answers answers; /* about the body; hook 0: nobody was asked */
  ck_buffer words;    /* of the body: `redacted`; empty: nothing was taken out */
  ck_answers of_keys; /* since the last boundary */
  struct {
    ck_event_kind kind; /* 0: none */
    ck_answers answers;
    ck_buffer words;
  } held;         /* of the next event of that kind: what it says was asked about before */
  ck_state *keys; /* likewise, by key: what `redacted_keys` says of it. Owned */
} ck_masked;
void ck_masked_clear(ck_masked *self);

/* The policies are about to be shown the body of such an event. */
void ck_masked_begin(ck_masked *self, ck_event_kind kind, const char *agent);
/* What was just asked about goes into the next event of that kind. */
void ck_masked_hold(ck_masked *self);
/* What they answered to the item, in `took_us` microseconds. */
CK_CHECKED ck_status ck_masked_note(ck_masked *self, const ck_item *item,
                                    const ck_redaction *redaction, int64_t took_us, ck_error *err);
/* `redacted_keys`; no bytes when nothing was taken out of any. */
CK_CHECKED ck_status ck_masked_write_keys(ck_buffer *out, const ck_masked *self, ck_error *err);
/* The boundary has them. */
void ck_masked_forget_keys(ck_masked *self);

/* Adds `redacted` to the event whose body was asked about: `*marked` is its new body, owned by the
 * caller; NULL: nothing was taken out. */
CK_CHECKED ck_status ck_masked_mark(ck_value **marked, ck_event *event, const ck_masked *self,
                                    ck_error *err);
/* Writes the answers that belong to that event behind `at`: CK_ANSWERS_SIZE bytes at most. How many
 * it has written. The event has what was held for it then. */
size_t ck_masked_encode(char *at, ck_masked *self, ck_event_kind kind);

#endif
