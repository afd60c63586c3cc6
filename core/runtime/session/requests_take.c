/* requests_take.c - the owner of a session takes the requests that were left for it, or for a run
 * before, and notes that it did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/requests.h"
#include "core/runtime/session/session_private.h"
#include "core/store/request.h"

/* What becomes of a request that is found in the store. */
typedef enum {
  STANDS,
  VOID,    /* it was carried out, or made void by how a run ended */
  DONE,    /* it was carried out, and its run died before it could say so */
  REFUSED, /* nobody knows any more what it was meant for, or somebody was faster; or its row is
            * not what was written */
} fate;

/* The request, the run that it was left for, and what was found out about it. */
typedef struct looked_at {
  ck_session_request *request;
  char run[CK_ID_SIZE];
  ck_taken_request taken;
  fate fate;
  const char *problem; /* REFUSED */
  ck_error damage;     /* of its row */
} looked_at;

/* NULL: it is no text. */
static ck_status read_text(char **out, ck_bytes json, ck_error *err) {
  bool text = ck_json_type_of(json) == CK_JSON_STRING;
  *out = text ? ck_json_dup_string(json) : NULL;
  return text && !*out ? ck_error_no_memory(err) : CK_OK;
}

/* "": it is none. */
static ck_status read_id(char out[CK_ID_SIZE], ck_bytes json, ck_error *err) {
  char *id;
  ck_status status = read_text(&id, json, err);
  strcpy(out, id && strlen(id) < CK_ID_SIZE ? id : "");
  free(id);
  return status;
}

/* What others write into the store is not trusted: without an id, or a run, it is none that ckrun
 * has left. */
static ck_status read_request(looked_at *self, const ck_request *row, ck_error *err) {
  ck_session_request *out = self->request;
  ck_bytes body = row->body ? ck_value_bytes(row->body) : (ck_bytes){0};
  ck_bytes by = ck_json_get(body, "by");
  out->kind = ck_request_kind_of(row->kind);
  ck_status status = read_id(out->id, ck_json_get(body, "id"), err);
  if (status == CK_OK) status = read_id(self->run, ck_json_get(body, "run"), err);
  if (status == CK_OK) status = read_text(&out->text, ck_json_get(body, "text"), err);
  if (status == CK_OK) status = read_text(&out->effect, ck_json_get(body, "effect"), err);
  if (status == CK_OK && by.len) status = ck_value_copy(&out->by, by, err);
  self->taken = (ck_taken_request){.no = row->no, .kind = out->kind};
  strcpy(self->taken.id, out->id);
  return status;
}

/* Seq of the first event of that run; 0: the session has had no such run. */
static ck_status find_begin(int64_t *out, ck_session *self, const char *run, ck_error *err) {
  ck_head head;
  *out = 0;
  ck_status status = ck_store_get_head(&head, self->runtime->store, self->record.id, err);
  for (size_t i = 0; status == CK_OK && i < head.timeline_count; i++) {
    const ck_timeline *one = &head.timelines[i];
    if (!one->session && strcmp(one->run, run) == 0) *out = one->begin;
  }
  if (status == CK_OK) ck_head_clear(&head);
  return status;
}

static ck_status judge_answer(looked_at *of, ck_session *self, int64_t begin, ck_error *err) {
  ck_request_answered answered;
  if (!of->request->effect) {
    of->fate = REFUSED;
    of->problem = "the run that it was given to has ended, and it names no question";
    return CK_OK;
  }
  ck_status status = ck_request_find_answer(&answered, self->runtime->store, self->record.no,
                                            begin - 1, of->request, err);
  if (answered == CK_REQUEST_ANSWERED_SO) of->fate = DONE;
  if (answered == CK_REQUEST_ANSWERED_OTHERWISE) {
    of->fate = REFUSED;
    of->problem = "the question was answered by then";
  }
  return status;
}

/* A pause and a checkpoint are asked for until the session rests. */
static ck_status judge_rest(looked_at *of, ck_session *self, int64_t begin, ck_error *err) {
  bool rested;
  char saved[CK_ID_SIZE] = "";
  ck_store *store = self->runtime->store;
  ck_status status = ck_request_find_rest(&rested, store, self->record.no, begin - 1, err);
  if (status == CK_OK && of->request->kind == CK_REQUEST_CHECKPOINT && of->taken.noted)
    status =
        ck_request_find_checkpoint(saved, store, self->record.no, begin - 1, of->request->id, err);
  if (rested || saved[0]) of->fate = VOID;
  return status;
}

/* One for an earlier run: as far as that had come with it, the transcript says. */
static ck_status judge(looked_at *of, ck_session *self, ck_error *err) {
  int64_t begin;
  ck_buffer problem = {0};
  bool *noted = &of->taken.noted;
  ck_status status = find_begin(&begin, self, of->run, err);
  if (status == CK_OK && begin)
    status = ck_request_find_note(noted, self->runtime->store, self->record.no, begin - 1,
                                  of->request->id, &problem, err);
  bool refused = problem.len > 0;
  ck_buffer_clear(&problem);
  if (status != CK_OK) return status;
  if (!begin || refused) of->fate = VOID;
  if (of->fate == VOID) return CK_OK;
  switch (of->request->kind) {
    case CK_REQUEST_PAUSE:
    case CK_REQUEST_CHECKPOINT:
      return judge_rest(of, self, begin, err);
    case CK_REQUEST_CANCEL:
      return CK_OK;
    case CK_REQUEST_ANSWER:
      if (!*noted) return judge_answer(of, self, begin, err);
      break;
    default:
      break;
  }
  if (*noted) of->fate = VOID;
  return CK_OK;
}

static ck_status look_at(looked_at *of, ck_session *self, const ck_request *row, ck_error *err) {
  ck_status status = read_request(of, row, err);
  bool whole = of->request->id[0] && of->run[0];
  bool ours = whole && !ck_taken_find(&self->taken, of->request->id);
  if (!ours) of->fate = VOID;
  if (status != CK_OK || !ours) return status;
  of->taken.earlier = strcmp(of->run, self->timeline.run) != 0;
  return of->taken.earlier ? judge(of, self, err) : CK_OK;
}

/* What it asked for nobody knows: it is named by its number. */
static void refuse_damaged(looked_at *of, int64_t no) {
  ck_session_request *request = of->request;
  *request = (ck_session_request){.kind = CK_REQUEST_KIND_COUNT};
  snprintf(request->id, sizeof request->id, "no %lld", (long long)no);
  of->taken = (ck_taken_request){.no = no, .kind = request->kind};
  strcpy(of->taken.id, request->id);
  of->fate = REFUSED;
  of->problem = of->damage.text;
}

/* What is not to be carried out leaves the store, those of which nobody was told with a note. */
static ck_status put_away(const looked_at *of, ck_session *self, ck_error *err) {
  if (of->fate == VOID)
    return ck_store_drop_request(self->runtime->store, self->lease, of->taken.no, err);
  ck_status status = ck_taken_add(&self->taken, &of->taken, err);
  return status == CK_OK ? ck_session_note_request(self, of->request, of->problem, err) : status;
}

/* A row that is not what was written is none to end at: of->damage says what is wrong with it. */
static ck_status get(ck_request *out, bool *there, looked_at *of, ck_session *self, int64_t after,
                     ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  ck_status status =
      ck_store_get_request(out, there, self->runtime->store, self->lease, after, &problem);
  of->damage = (ck_error)CK_ERROR_INIT;
  if (status == CK_OK) return CK_OK;
  if (status != CK_E_CORRUPT || !out->no) return ck_error_set(err, status, "%s", problem.text);
  of->damage = problem;
  return CK_OK;
}

/* The next behind number `*after` that this run has not taken and that stands. */
static ck_status next(looked_at *of, bool *found, ck_session *self, int64_t *after, ck_error *err) {
  ck_request row;
  ck_status status = CK_OK;
  for (*found = false; status == CK_OK && !*found;) {
    bool there;
    status = get(&row, &there, of, self, *after, err);
    bool damaged = of->damage.status != CK_OK;
    if (status != CK_OK || (!there && !damaged)) return status;
    *after = row.no;
    of->fate = STANDS;
    of->problem = NULL;
    bool taken = ck_taken_find_no(&self->taken, row.no);
    if (!taken && damaged) refuse_damaged(of, row.no);
    if (!taken && !damaged) status = look_at(of, self, &row, err);
    ck_request_clear(&row);
    if (taken) continue;
    *found = status == CK_OK && of->fate == STANDS;
    if (status == CK_OK && !*found) status = put_away(of, self, err);
    if (!*found) ck_session_request_clear(of->request);
  }
  return status;
}

ck_status ck_session_take_request(ck_session_request *out, bool *found, ck_session *self,
                                  ck_error *err) {
  looked_at of = {.request = out};
  int64_t after = 0;
  *out = (ck_session_request){0};
  *found = false;
  ck_status status = ck_session_drop_over(self, err);
  if (status == CK_OK) status = next(&of, found, self, &after, err);
  if (*found) status = ck_taken_add(&self->taken, &of.taken, err);
  if (status == CK_OK) return CK_OK;
  *found = false;
  ck_session_request_clear(out);
  return status;
}

bool ck_session_request_is_earlier(const ck_session *self, const ck_session_request *request) {
  const ck_taken_request *one = ck_taken_find(&self->taken, request->id);
  return one && one->earlier;
}

static ck_status supersede(const looked_at *of, ck_session *self, ck_error *err) {
  ck_status status = ck_taken_add(&self->taken, &of->taken, err);
  return status == CK_OK ? ck_session_note_request(self, of->request, CK_REQUEST_SUPERSEDED, err)
                         : status;
}

ck_status ck_session_supersede_pauses(char **reason, ck_session *self, ck_error *err) {
  ck_session_request request = {0};
  looked_at of = {.request = &request};
  int64_t after = 0;
  bool found;
  *reason = NULL;
  ck_status status = next(&of, &found, self, &after, err);
  while (status == CK_OK && found) {
    bool older = request.kind == CK_REQUEST_PAUSE && of.taken.earlier;
    if (older) status = supersede(&of, self, err);
    if (older && !*reason) {
      *reason = request.text;
      request.text = NULL;
    }
    ck_session_request_clear(&request);
    if (status == CK_OK) status = next(&of, &found, self, &after, err);
  }
  ck_session_request_clear(&request);
  return status;
}

/* ---- notes ---- */

static ck_status write_note(ck_value **out, const ck_session_request *request, const char *problem,
                            ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "request", request->id);
  ck_json_member_text(&w, "kind", ck_request_kind_name(request->kind));
  ck_json_member_text(&w, "text", request->text);
  ck_json_member_text(&w, "effect", request->effect);
  ck_json_member_text(&w, "problem", problem);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status append_note(uint64_t *ticket, ck_session *self, const ck_session_request *request,
                             const char *problem, ck_error *err) {
  ck_value *body;
  ck_status status = write_note(&body, request, problem, err);
  if (status != CK_OK) return status;
  status = ck_session_append(self, CK_EVENT_NOTE, NULL, NULL, body, err);
  ck_value_free(body);
  return status == CK_OK ? ck_session_push(ticket, self, CK_DURABLE_PROCESS, err) : status;
}

/* Whoever asks for the same again and again leaves one that stands, not more at each boundary. */
static bool stands_on(const ck_session *self, const ck_taken_request *one) {
  if (one->kind == CK_REQUEST_CHECKPOINT) return true;
  bool stands = one->kind == CK_REQUEST_PAUSE || one->kind == CK_REQUEST_CANCEL;
  return stands && !ck_taken_is_repeated(&self->taken, one);
}

ck_status ck_session_note_request(ck_session *self, const ck_session_request *request,
                                  const char *problem, ck_error *err) {
  uint64_t ticket = 0;
  ck_taken_request *one = ck_taken_find(&self->taken, request->id);
  bool again = one && one->noted && !problem;
  ck_status status = again ? CK_OK : append_note(&ticket, self, request, problem, err);
  if (status != CK_OK || !one || again) return status;
  one->noted = true;
  one->over = problem || !stands_on(self, one);
  one->ticket = ticket;
  return CK_OK;
}
