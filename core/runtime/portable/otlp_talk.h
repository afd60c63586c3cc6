/* otlp_talk.h - who takes part in a session that is exported as a trace, and what was said to each
 * that no call of a model was given yet. */
#ifndef CK_RUNTIME_PORTABLE_OTLP_TALK_H
#define CK_RUNTIME_PORTABLE_OTLP_TALK_H

#include "core/model/event.h"
#include "core/runtime/portable/otlp_effect.h"

/* A message that waits for a call of a model. */
typedef struct ck_otlp_waiting {
  ck_bytes message;   /* within `body` */
  ck_value *body;     /* of its event; owned */
  int64_t seq, at_ms; /* of its event */
  bool result;        /* of a tool, whose span tells it as well */
} ck_otlp_waiting;

/* An agent in a scope, or a scope where none takes part. */
typedef struct ck_otlp_talk {
  char *scope, *agent; /* owned; agent: NULL for none */
  char id[CK_OTLP_ID_SIZE];
  int64_t begin, end;
  ck_otlp_waiting *waiting;
  size_t waiting_count, waiting_cap;
  int64_t earlier;  /* how many messages its calls were given */
  ck_value *said;   /* the last message of the model; NULL */
  uint64_t matched; /* its calls that a tool is known of */
} ck_otlp_talk;

/* Zero-initialise. */
typedef struct ck_otlp_talks {
  ck_otlp_talk *list; /* in the order in which they began */
  size_t count, cap;
} ck_otlp_talks;
void ck_otlp_talks_clear(ck_otlp_talks *self);
/* The place of the one whose event this is, added when it is new; its span's id is of `session`. */
CK_CHECKED ck_status ck_otlp_talks_find(size_t *out, ck_otlp_talks *self, const char *session,
                                        const ck_event *event, ck_error *err);
/* The id of the span around: of the scope's agent (`within`: of the talk itself, where it is an
 * agent's), else of the nearest one outside of it. NULL: the session's. Borrowed. */
const char *ck_otlp_talks_around(const ck_otlp_talks *self, const ck_otlp_talk *of, bool within);

/* What an event says waits for the next call; what the model answers is told by its own span. */
CK_CHECKED ck_status ck_otlp_talk_take(ck_otlp_talk *self, const ck_event *event, ck_error *err);
/* All that waits, which then does no more. */
void ck_otlp_talk_give(ck_otlp_given *out, ck_otlp_talk *self);
/* A tool is known that was called so. */
void ck_otlp_talk_match(ck_otlp_talk *self, ck_bytes intent);
/* A flow's own tool has no intent: it is the first call of its name of which nothing is known.
 * CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_otlp_talk_find_call(ck_otlp_effect *to, ck_otlp_talk *self, ck_error *err);

#endif
