/* record.h - appends an event, folds it into its scope and counts what it cost. Within the
 * runtime. */
#ifndef CK_RUNTIME_SESSION_RECORD_H
#define CK_RUNTIME_SESSION_RECORD_H

#include "core/model/effect.h"
#include "core/model/event.h"

typedef struct ck_session ck_session;

/* A message of a conversation. Borrowed. */
typedef struct ck_said {
  const char *agent; /* whose it is; NULL */
  const ck_value *message;
  const ck_value *untrusted; /* the sources that it may be made of, see sources.h; NULL: none */
} ck_said;
/* It enters the scope's conversation. */
CK_CHECKED ck_status ck_session_record_said(ck_session *self, const char *scope_name,
                                            const ck_said *said, ck_error *err);
/* The same of one that is made of nothing untrusted. */
CK_CHECKED ck_status ck_session_record_message(ck_session *self, const char *scope_name,
                                               const char *agent, const ck_value *message,
                                               ck_error *err);
/* The scope's conversation goes back: {to, report, keep?, labelled?}, see
 * ck_conversation_rewind. */
CK_CHECKED ck_status ck_session_record_rewind(ck_session *self, const char *scope_name,
                                              const char *agent, const ck_value *rewind,
                                              ck_error *err);
/* An outcome: its message enters the conversation, its cost the totals. `*seq` is its event's. */
CK_CHECKED ck_status ck_session_record_outcome(ck_session *self, const ck_effect *effect,
                                               const ck_value *body, int64_t *seq, ck_error *err);
/* The same of an effect that was carried out: where a redact hook fails, it is recorded all the
 * same, without its content, so that it is not carried out again; CK_E_POLICY then tells the
 * failure. */
CK_CHECKED ck_status ck_session_record_done(ck_session *self, const ck_effect *effect,
                                            const ck_value *body, int64_t *seq, ck_error *err);
/* An outcome that brings a cost and nothing for the conversation; its seq is filled in. */
CK_CHECKED ck_status ck_session_record_cost(ck_session *self, ck_event *outcome, ck_error *err);
/* An outcome (`body`) of the ledger is taken again: the event refers to its event at seq `of`, and
 * it costs nothing. */
CK_CHECKED ck_status ck_session_record_replay(ck_session *self, const ck_effect *effect,
                                              const ck_value *body, int64_t of, ck_error *err);

#endif
