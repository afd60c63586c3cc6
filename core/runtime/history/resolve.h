/* resolve.h - effects in doubt and open questions: listed, and settled by a person's word. */
#ifndef CK_RUNTIME_HISTORY_RESOLVE_H
#define CK_RUNTIME_HISTORY_RESOLVE_H

#include "core/runtime/commit/runtime.h"

/* One effect whose intent has no outcome and that may not simply run again. Borrowed for the
 * call. */
typedef struct ck_open_effect {
  const char *key, *kind, *class;
  ck_bytes request; /* JSON */
  /* Of one that was not begun, because another action was carried out in its place before the
   * session went back: that one's request, and the body of its outcome's event (NULL: a person has
   * said what became of it); else nothing. */
  ck_bytes displaced;
  const ck_value *outcome;
  /* Of a question: the answer that no resume has taken yet, a JSON string, and who gave it; no
   * bytes: it waits. */
  ck_bytes answer, by;
  ck_bytes dropped; /* of a question: see core/model/dropped_answer.h */
} ck_open_effect;
typedef void (*ck_doubt_visit)(void *to, const ck_open_effect *effect);
CK_CHECKED ck_status ck_session_list_doubts(ck_runtime *runtime, const char *id,
                                            ck_doubt_visit visit, void *to, ck_error *err);

/* What is known of the agent's turn `key`, which has no outcome: as of
 * core/runtime/ledger/interrupted.h. NULL in *out: nothing; its next try begins anew. */
CK_CHECKED ck_status ck_session_find_interrupted(ck_value **out, ck_runtime *runtime,
                                                 const char *id, const char *key, ck_error *err);

/* Records what a person found out about effect `key` of a session that no process runs: "done" (it
 * happened; `result`, JSON or NULL, is what it returned), "retry" (it did not happen: run it),
 * "abort" (an error for the flow). The next resume acts on it. When no doubt is left
 * the session becomes paused. Of a model's call whose outcome was recorded as unknown: see
 * ck_session_correct, whose errors are also this one's. CK_E_NOT_FOUND: the session, or no such
 * effect in doubt; CK_E_USAGE: an unknown verdict; CK_E_OWNED; CK_E_REFUSED. */
CK_CHECKED ck_status ck_session_resolve(ck_runtime *runtime, const char *id, const char *key,
                                        const char *verdict, const ck_value *result, ck_error *err);

/* Questions of a session at rest that nobody has answered; whether it may be resumed is one, whose
 * effect is CK_APPROVAL_KEY (opening/approval.h). */
CK_CHECKED ck_status ck_session_list_questions(ck_runtime *runtime, const char *id,
                                               ck_doubt_visit visit, void *to, ck_error *err);
/* The same, and those that were answered, whose answer the next resume takes. */
CK_CHECKED ck_status ck_session_list_asked(ck_runtime *runtime, const char *id,
                                           ck_doubt_visit visit, void *to, ck_error *err);
/* Records `text`, a JSON string, as the answer to question `key` (NULL: the only one); the next
 * resume takes it once. When no question is left the session becomes paused. CK_E_NOT_FOUND: the
 * session, or no such question; CK_E_REFUSED: it was answered, or is none of its choices;
 * CK_E_USAGE: several are open; CK_E_OWNED, CK_E_FENCED. */
CK_CHECKED ck_status ck_session_answer(ck_runtime *runtime, const char *id, const char *key,
                                       const ck_value *text, ck_error *err);

#endif
