/* transcript.h - a session's events on their way: appended, queued, durable. */
#ifndef CK_RUNTIME_SESSION_TRANSCRIPT_H
#define CK_RUNTIME_SESSION_TRANSCRIPT_H

#include "core/model/event.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

/* Adds an event. It is kept in order and committed with the next boundary, intent, flush or
 * close. `scope` NULL: "main"; `agent` NULL: nobody's. */
CK_CHECKED ck_status ck_session_append(ck_session *self, ck_event_kind kind, const char *scope,
                                       const char *agent, const ck_value *body, ck_error *err);
/* seq of the last event that was appended. */
int64_t ck_session_last_seq(const ck_session *self);

/* Queues the appended events for a commit at the given durability, without waiting. Nothing is
 * appended: the last ticket. Process-durable events may stay unsaved while saving fails, those that
 * must be power-durable never do (see backlog.h). */
CK_CHECKED ck_status ck_session_push(uint64_t *ticket, ck_session *self, ck_durability durability,
                                     ck_error *err);
/* CK_OK when the ticket is durable (or may stay unsaved: on_save_failure = "continue", see
 * backlog.h), CK_E_PENDING when not yet; otherwise the session's failure. */
CK_CHECKED ck_status ck_session_check(ck_session *self, uint64_t ticket, ck_error *err);
/* The same, but waits instead of CK_E_PENDING. */
CK_CHECKED ck_status ck_session_wait(ck_session *self, uint64_t ticket, ck_error *err);
/* Commits all appended events and waits. On CK_OK all of them are in the store. */
CK_CHECKED ck_status ck_session_flush(ck_session *self, ck_durability durability, ck_error *err);

/* ---- within the runtime ---- */

#include "core/model/answers.h"
#include "core/runtime/commit/channel.h"

/* As ck_channel_peek and ck_channel_commit have it. */
CK_CHECKED ck_status ck_session_peek(ck_session *self, uint64_t ticket, ck_error *err);
CK_CHECKED ck_status ck_session_commit(ck_session *self, uint64_t ticket, ck_error *err);
/* The body of such an event, acted by `agent` (NULL: none), as it may be written. Whatever is
 * folded is folded from this form: a live run goes on with exactly what a resumed one would read.
 */
CK_CHECKED ck_status ck_session_redact(ck_value **out, ck_session *self, ck_event_kind kind,
                                       const char *agent, const ck_value *body, ck_error *err);
/* What models are sent of the message in such a body, where the profile lets them see what policies
 * mask (models_see = "unmasked"): ckrun's own rules alone were applied. NULL: as it is stored in
 * `kept`, or there is no message. Caller frees. */
CK_CHECKED ck_status ck_session_unmask(ck_value **out, ck_session *self, ck_event_kind kind,
                                       const ck_value *body, const ck_value *kept, ck_error *err);
/* ck_session_append of the event's kind, scope, agent and body, with its `decision`, which passes
 * no redactor: numbers alone. */
CK_CHECKED ck_status ck_session_append_decided(ck_session *self, const ck_event *event,
                                               ck_error *err);
/* The next event of this kind has these answers as its decision. */
void ck_session_keep_answers(ck_session *self, ck_event_kind kind, const ck_answers *answers);
/* A copy of `like`, whose body is redacted, with the answers and the marks that belong to it (see
 * masked.h). */
CK_CHECKED ck_status ck_session_make_event(ck_event **out, ck_session *self, const ck_event *like,
                                           ck_error *err);
/* ck_session_append of a body that ck_session_redact made. */
CK_CHECKED ck_status ck_session_append_redacted(ck_session *self, ck_event_kind kind,
                                                const char *scope, const char *agent,
                                                ck_value *redacted, ck_error *err);
/* seq of the event that is appended next. */
int64_t ck_session_next_seq(const ck_session *self);
void ck_session_set_next_seq(ck_session *self, int64_t seq);
/* Queues the appended events, process-durable, when they take so much: no checkpoint was taken for
 * long. */
enum { CK_PENDING_BYTES_MAX = 1 << 20 };
CK_CHECKED ck_status ck_session_push_long(ck_session *self, ck_error *err);
/* Frees the events that are not queued yet: they never reach the store. */
void ck_session_discard_pending(ck_session *self);

/* How the appended events are queued. */
typedef struct ck_queueing {
  ck_checkpoint *checkpoint;       /* announced by the last of them; taken. NULL: none */
  const ck_session_update *update; /* NULL: the status stays */
  ck_durability durability;
  bool waited, may_wait; /* see ck_job */
} ck_queueing;
CK_CHECKED ck_status ck_session_queue(uint64_t *ticket, ck_session *self, const ck_queueing *how,
                                      ck_error *err);

#endif
