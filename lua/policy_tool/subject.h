/* subject.h - subjects of hooks without a session, made from JSON with the fields that policies
 * see. */
#ifndef CK_LUA_POLICY_TOOL_SUBJECT_H
#define CK_LUA_POLICY_TOOL_SUBJECT_H

#include "lua/policy/ask.h"

enum { SUBJECT_TEXTS_MAX = 16 };

/* The subject of one call of one hook. Does not move once read. */
typedef struct policy_subject {
  policy_hook hook;
  const void *about; /* one of the below, as `asking` wants it */
  ck_value *json;    /* what values below are spans of */
  ck_boundary at;
  ck_changed_keys changed; /* of `at` */
  ck_view_counts counts;
  ck_item item;
  ck_session_record session;
  ck_totals totals;
  ck_resume_case resume;
  ck_event event;
  ck_failure failure;
  ck_effect effect;
  ck_value *value;   /* of the item, the event's body, the document */
  const char *agent; /* tail */
  int from, to;      /* migrate */
  ck_history history;
  ck_checkpoint_info *checkpoints;
  const ck_checkpoint_info **by_id;
  bool *flags;                    /* the plan of the last answer: drop, then keep */
  ck_resume_rules rules;          /* the last answer */
  char *texts[SUBJECT_TEXTS_MAX]; /* owned */
  size_t text_count;
} policy_subject;

/* One JSON object by hook; fields that it leaves out are absent, or have usual values. Fields are
 * those of the views (lua/policy/view_fields.c), except:
 *   prune    {now?, checkpoints: [ck.Checkpoint, …]}
 *   resume   {session?: ck.Session, checkpoint?: ck.Checkpoint}
 *   tail     {event?: ck.Event, agent?}
 *   permit   {effect?: ck.Effect, at?: ck.Boundary}
 *   migrate  {document?, from?, to?}
 * CK_E_TYPE: a name that no table of the core has. */
CK_CHECKED ck_status ck_policy_subject_read(policy_subject *out, policy_hook hook, ck_bytes json,
                                            ck_error *err);
void ck_policy_subject_clear(policy_subject *self);

/* Subjects for every hook, as JSON; NULL beyond the last. */
const char *ck_policy_subject_sample(policy_hook hook, size_t index);

/* Asks the hook, which the policy must have, and writes its answer as a JSON object:
 *   checkpoint            {take, sync, reason?}
 *   prune                 {drop, keep}
 *   redact                {verdict, ref?, value?}
 *   resume                {rules, refusal? | question?}
 *   tail                  {truth}
 *   on_failure, in_doubt  {word?}
 *   permit                {word?: "deny" | "ask", text?}
 *   migrate               {document?} */
CK_CHECKED ck_status ck_policy_subject_ask(ck_buffer *answer, loaded_policy *policy,
                                           policy_subject *subject, ck_error *err);
/* The same without writing the answer, as a benchmark measures it. `text` is emptied; the caller
 * frees of->document. */
CK_CHECKED ck_status ck_policy_subject_call(asking *of, ck_buffer *text, loaded_policy *policy,
                                            policy_subject *subject, ck_error *err);

#endif
