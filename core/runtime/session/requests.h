/* requests.h - requests of other processes to a live session: left by commands, taken by the run
 * that owns the session.
 *
 * A request is one to the session. It stands in the store until it was carried out, or refused with
 * its reason: one that its run was killed, fenced or drained before it could do so is taken by the
 * next run. So the next run serves what stands before it begins anything. What ends a request
 * otherwise: a pause and a checkpoint are asked for until the session comes to rest (not: until a
 * worker puts it back into the queue, which is no rest); a person who resumes the session
 * supersedes a pause that is older than that; the end of the session, completed or cancelled, ends
 * all.
 *
 * That a request was taken is a note in the transcript, once however many runs take it:
 * {"request", "kind", "text"?, "problem"?}. With a problem it is refused, be it by a second note on
 * what an earlier run had taken and could not carry out. Otherwise an answer, a pin and a prune are
 * carried out by then; a pause and a cancel are when the session is at rest, a checkpoint when a
 * boundary names the request. A crash between that and its removal from the store is found by
 * these.
 */
#ifndef CK_RUNTIME_SESSION_REQUESTS_H
#define CK_RUNTIME_SESSION_REQUESTS_H

#include "core/runtime/session/session.h"

/* X(enumerator, name in the store). */
/* clang-format off */
#define CK_REQUEST_TABLE(X) \
  X(CK_REQUEST_PAUSE, "pause") \
  X(CK_REQUEST_CANCEL, "cancel") \
  X(CK_REQUEST_ANSWER, "answer") \
  X(CK_REQUEST_PRUNE, "prune") \
  X(CK_REQUEST_PIN, "pin") \
  X(CK_REQUEST_CHECKPOINT, "checkpoint")
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_REQUEST_TABLE(X)
#undef X
      CK_REQUEST_KIND_COUNT /* one that this version does not know */
} ck_request_kind;

/* Texts are owned once taken, borrowed when left. */
typedef struct ck_session_request {
  ck_request_kind kind;
  char id[CK_ID_SIZE]; /* of the request */
  /* pause, cancel: the reason; answer: the answer; prune: how many to keep, NULL: as the policies
   * say; pin: the checkpoint's seq, behind a '-' when the pin is lifted; checkpoint: its
   * description, NULL: none is given; NULL */
  char *text;
  char *effect; /* answer: the question's key; NULL: the only one that is open */
  /* answer: who gives it, see person.h; NULL: not known; left with `via`, by what */
  ck_value *by;
  const char *via;
} ck_session_request;
void ck_session_request_clear(ck_session_request *self);

/* Leaves `request`, and fills its id; `record` names the run that has the session now. */
CK_CHECKED ck_status ck_request_leave(ck_store *store, const ck_session_record *record,
                                      ck_session_request *request, ck_error *err);
/* Leaves a pause for session `id`; it returns at once, the run that has it pauses at its next
 * boundary, or the next run when that one dies first. `reason` NULL: "user_requested".
 * CK_E_REFUSED: no live run has it; CK_E_NOT_FOUND. A program that drives its sessions itself takes
 * requests with ck_session_take_request. */
CK_CHECKED ck_status ck_request_pause(ck_store *store, const char *id, const char *reason,
                                      ck_error *err);
/* For the owner: the oldest request that stands and that this run has not taken; false in *found
 * when there is none. A cheap read when nothing waits. Each must be noted. CK_E_FENCED: the session
 * has another owner by now. */
CK_CHECKED ck_status ck_session_take_request(ck_session_request *out, bool *found, ck_session *self,
                                             ck_error *err);
/* Appends and queues the note, unless a run before has written it. `problem`: why the request is
 * not carried out; NULL: it is, or (a pause, a cancel, a checkpoint) it will be. */
CK_CHECKED ck_status ck_session_note_request(ck_session *self, const ck_session_request *request,
                                             const char *problem, ck_error *err);

/* A person goes on with the session: pauses that were left for runs before this one are refused,
 * CK_REQUEST_SUPERSEDED, before this run takes them. `*reason`, malloc'd: of the first; NULL: there
 * was none. */
#define CK_REQUEST_SUPERSEDED "a person has resumed the session since"
CK_CHECKED ck_status ck_session_supersede_pauses(char **reason, ck_session *self, ck_error *err);

/* ---- within ckrun ---- */

/* Whether a note on request `id` is among the events after seq `after`; the problem of the last one
 * becomes `problem`. */
CK_CHECKED ck_status ck_request_find_note(bool *out, ck_store *store, int64_t session,
                                          int64_t after, const char *id, ck_buffer *problem,
                                          ck_error *err);
/* The id of the checkpoint that was taken for request `id`, as its boundary behind seq `after` says
 * it; "": none yet. */
CK_CHECKED ck_status ck_request_find_checkpoint(char out[CK_ID_SIZE], ck_store *store,
                                                int64_t session, int64_t after, const char *id,
                                                ck_error *err);

/* Whether the session came to rest behind seq `after`, other than in the queue of workers. */
CK_CHECKED ck_status ck_request_find_rest(bool *out, ck_store *store, int64_t session,
                                          int64_t after, ck_error *err);
/* Whether an answer is recorded behind seq `after` to the question that `request` names. */
typedef enum {
  CK_REQUEST_UNANSWERED, /* or it names none */
  CK_REQUEST_ANSWERED_OTHERWISE,
  CK_REQUEST_ANSWERED_SO
} ck_request_answered;
CK_CHECKED ck_status ck_request_find_answer(ck_request_answered *out, ck_store *store,
                                            int64_t session, int64_t after,
                                            const ck_session_request *request, ck_error *err);
/* A taken request that was left for a run before: what it is for may not have come up yet. */
bool ck_session_request_is_earlier(const ck_session *self, const ck_session_request *request);
/* CK_REQUEST_KIND_COUNT: none that this version knows; whose name is NULL. */
ck_request_kind ck_request_kind_of(const char *name);
const char *ck_request_kind_name(ck_request_kind kind);

#endif
