/* requests.h - requests of other processes to a live session: left by commands, taken by the run
 * that owns the session.
 *
 * A request names the run it is meant for; a later run drops it, so that a pause which came too
 * late does not stop the next resume. That a request was taken is a note in the transcript:
 * {"request", "kind", "text"?, "problem"?}. */
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

/* Leaves `request` for the run that `record` names, and fills its id. */
CK_CHECKED ck_status ck_request_leave(ck_store *store, const ck_session_record *record,
                                      ck_session_request *request, ck_error *err);
/* Leaves a pause for the run that has session `id` now; it returns at once, the run pauses at its
 * next boundary. `reason` NULL: "user_requested". CK_E_REFUSED: no live run has it; CK_E_NOT_FOUND.
 * A program that drives its sessions itself takes requests with ck_session_take_request. */
CK_CHECKED ck_status ck_request_pause(ck_store *store, const char *id, const char *reason,
                                      ck_error *err);
/* For the owner: the oldest request meant for this run; false in *found when there is none. A cheap
 * read when nothing waits. CK_E_FENCED: the session has another owner by now. */
CK_CHECKED ck_status ck_session_take_request(ck_session_request *out, bool *found, ck_session *self,
                                             ck_error *err);
/* Appends and queues the note. `problem`: why the request is not carried out; NULL: it is. */
CK_CHECKED ck_status ck_session_note_request(ck_session *self, const ck_session_request *request,
                                             const char *problem, ck_error *err);

/* ---- within ckrun ---- */

/* Whether the note on request `id` is among the events after seq `after`; its problem is appended
 * to `problem`. */
CK_CHECKED ck_status ck_request_find_note(bool *out, ck_store *store, int64_t session,
                                          int64_t after, const char *id, ck_buffer *problem,
                                          ck_error *err);
/* The id of the checkpoint that was taken for request `id`, as its boundary behind seq `after` says
 * it; "": none yet. */
CK_CHECKED ck_status ck_request_find_checkpoint(char out[CK_ID_SIZE], ck_store *store,
                                                int64_t session, int64_t after, const char *id,
                                                ck_error *err);

#endif
