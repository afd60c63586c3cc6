/* requests.c - requests of other processes to the session: what each must come to, by what was
 * left, taken and said, apart from what the store keeps of them.
 *
 * One stands until it is over: each run takes it once, until then. Where it is not known whether
 * what a run wrote before it died is on the disk, it may be over. */
#include "tests/worlds/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/asked.h"
#include "core/runtime/session/maintenance.h"
#include "core/runtime/session/requests.h"
#include "tests/worlds/baton.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"

enum { REQUESTS = 256, RUNS = 256, KINDS = 8, NUMBER = 24 };

typedef struct request {
  char id[CK_ID_SIZE], run[CK_ID_SIZE]; /* of the run that had the session when it was left */
  char taker[CK_ID_SIZE];               /* the last run that has taken it; "": none */
  ck_request_kind kind;
  world_fact *fact; /* of an answer: the question; NULL: whichever is open */
  uint32_t word;    /* of an answer: which */
  bool left;        /* who left it was told so, and no power was cut since */
  bool over;        /* no run may take it any more */
  bool doubtful;    /* it may be over */
  bool superseded;  /* a second note says so, if a run before had noted it */
  bool waits;       /* of a checkpoint: for the next boundary of its run */
  bool noted, due;  /* the note was queued; it is durable */
  int64_t seq;      /* of the boundary whose checkpoint was taken for it */
  int notes, shown; /* events that tell of it */
} request;

/* A run, and how often the session had come to rest when it began; for certain, and perhaps. */
typedef struct known_run {
  char id[CK_ID_SIZE];
  int rests, doubts;
} known_run;

static struct {
  request list[REQUESTS];
  size_t count;
  known_run runs[RUNS];
  size_t run_count;
  int rests, doubts;
  char before[CK_ID_SIZE]; /* the run that was seen last */
  bool cancels;
  int64_t newest; /* checkpoint that a prune has left */
} all;

static const char *const names[] = {
#define X(name, text) text,
    CK_REQUEST_TABLE(X)
#undef X
};

void requests_begin(void) { memset(&all, 0, sizeof all); }
bool requests_may_cancel(void) { return all.cancels; }

static request *find(ck_bytes id) {
  for (size_t i = 0; i < all.count; i++)
    if (ck_json_is_text(id, all.list[i].id)) return &all.list[i];
  return NULL;
}

/* What the rest of a session ends. */
static bool is_until_rest(const request *self) {
  return self->kind == CK_REQUEST_PAUSE || self->kind == CK_REQUEST_CHECKPOINT;
}

/* What is carried out when it is noted. */
static bool is_done_at_once(const request *self) {
  return self->kind == CK_REQUEST_ANSWER || self->kind == CK_REQUEST_PRUNE ||
         self->kind == CK_REQUEST_PIN;
}

static bool is_taker(const request *self, const world_process *process) {
  return strcmp(self->taker, ck_session_run(process->session)) == 0;
}

static bool is_earlier(const request *self, const world_process *process) {
  return strcmp(self->run, ck_session_run(process->session)) != 0;
}

/* ---- runs ---- */

/* A person who resumes the session is told of each pause that was left for a run before. */
static void supersede(world *self, const world_process *process) {
  char *reason;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_session_supersede_pauses(&reason, process->session, &err);
  bool any = false, must = false;
  for (size_t i = 0; i < all.count; i++) {
    request *one = &all.list[i];
    if (one->kind != CK_REQUEST_PAUSE || !is_earlier(one, process) || one->over) continue;
    any = true;
    must |= one->left && !one->doubtful;
    one->doubtful = true;
    one->superseded = true;
    if (status == CK_OK) memcpy(one->taker, ck_session_run(process->session), CK_ID_SIZE);
  }
  if (status == CK_OK && !disk_is_dead(process->number) && (reason ? !any : must))
    model_fail(&self->model, "a person's resume has superseded %s", reason ? reason : "no pause");
  if (reason) cover("request pause is superseded");
  free(reason);
}

void requests_run_begun(world *self, const world_process *process) {
  if (all.run_count == RUNS) return;
  known_run *made = &all.runs[all.run_count++];
  *made = (known_run){.rests = all.rests, .doubts = all.doubts};
  memcpy(made->id, ck_session_run(process->session), sizeof made->id);
  if (self->lives % 4 == 3) supersede(self, process);
}

void requests_found(ck_session_status status) {
  if (status == CK_SESSION_RUNNING) return;
  all.doubts++;
  for (size_t i = 0; i < all.count; i++) all.list[i].doubtful |= is_until_rest(&all.list[i]);
}

void requests_lost_power(void) {
  for (size_t i = 0; i < all.count; i++) all.list[i].left = false;
}

/* Of one that is left late: what has been since the run that it names. */
static void judge_late(request *self) {
  const known_run *of = NULL;
  for (size_t i = 0; i < all.run_count; i++)
    if (strcmp(all.runs[i].id, self->run) == 0) of = &all.runs[i];
  if (!is_until_rest(self)) return;
  self->over = of && all.rests > of->rests;
  self->doubtful = !of || all.doubts > of->doubts;
}

/* ---- leaving ---- */

/* Mostly one that waits; NULL: it is not named. */
static world_fact *pick_question(world_model *model) {
  world_fact *asked[WORLD_FACTS];
  size_t count = 0;
  bool any = chance_pick(CHANCE_WORD, 4) == 1;
  for (size_t i = 0; i < model->fact_count; i++) {
    world_fact *fact = &model->facts[i];
    if (fact->kind == CK_EFFECT_ASK && (any || fact->open || fact->failed)) asked[count++] = fact;
  }
  size_t which = chance_pick(CHANCE_WORD, (uint32_t)count + 1);
  return which ? asked[which - 1] : NULL;
}

static void write_number(char out[NUMBER], const world_model *model, bool lifts) {
  size_t which = chance_pick(CHANCE_WORD, (uint32_t)model->checkpoint_count + 1);
  int64_t seq = which ? model->checkpoints[which - 1].seq : 1;
  snprintf(out, NUMBER, "%s%lld", lifts ? "-" : "", (long long)seq);
}

/* What it asks for; `text` and the question's key are borrowed of the caller. */
static ck_session_request choose(request *out, char text[64], world_model *model, bool answers) {
  static const ck_request_kind kinds[KINDS] = {
      CK_REQUEST_PAUSE,  CK_REQUEST_CANCEL, CK_REQUEST_ANSWER, CK_REQUEST_PRUNE,
      CK_REQUEST_ANSWER, CK_REQUEST_PIN,    CK_REQUEST_PIN,    CK_REQUEST_CHECKPOINT};
  uint32_t which = answers ? 2 : chance_pick(CHANCE_WORD, KINDS);
  ck_session_request asks = {.kind = out->kind = kinds[which], .text = text};
  snprintf(text, 64, "because");
  if (asks.kind == CK_REQUEST_ANSWER) {
    char json[64];
    out->fact = pick_question(model);
    out->word = chance_pick(CHANCE_WORD, WORLD_WORDS);
    outside_word(json, out->fact ? out->fact->key : "", out->word);
    snprintf(text, 64, "%.*s", (int)strlen(json) - 2, json + 1);
    asks.effect = out->fact ? out->fact->key : NULL;
  }
  if (asks.kind == CK_REQUEST_PRUNE) snprintf(text, 64, "%u", 1 + chance_pick(CHANCE_WORD, 4));
  if (asks.kind == CK_REQUEST_PIN) write_number(text, model, which == 6);
  return asks;
}

void requests_leave(world *self, ck_runtime *runtime, const ck_head *head, bool answers) {
  ck_error err = CK_ERROR_INIT;
  char text[64];
  if (all.count == REQUESTS) return;
  request *made = &all.list[all.count];
  ck_session_record record = head->session; /* not cleared */
  ck_session_request asks = choose(made, text, &self->model, answers);
  bool late = all.before[0] && chance_pick(CHANCE_WORD, 4) == 1;
  if (late) memcpy(record.run, all.before, sizeof record.run);
  memcpy(all.before, head->session.run, sizeof all.before);
  memcpy(made->run, record.run, sizeof made->run);
  ck_status status = ck_request_leave(runtime->store, &record, &asks, &err);
  memcpy(made->id, asks.id, sizeof made->id);
  made->left = status == CK_OK && !disk_is_dead(baton_process());
  judge_late(made);
  if (made->id[0]) all.count++;
  world_log("leave %s%s: %s", names[made->kind], late ? ", late" : "", ck_status_name(status));
  cover("request %s is left", names[made->kind]);
  if (late && strcmp(made->run, head->session.run) != 0) cover("request is left for a run before");
  life_check(self, status, &err, "leave a request");
}

void requests_paused(const ck_head *head) {
  if (all.count == REQUESTS) return;
  request *made = &all.list[all.count++];
  made->kind = CK_REQUEST_PAUSE;
  memcpy(made->run, head->session.run, sizeof made->run);
  judge_late(made);
}

/* ---- taking ---- */

/* Of those that were left without an id the first, unless a person's resume has superseded it: that
 * one may stand when nobody knows whether the note of it is on the disk. */
static request *find_unnamed(const world_process *process) {
  request *found = NULL;
  for (size_t i = 0; i < all.count; i++) {
    request *one = &all.list[i];
    if (one->id[0] || one->over) continue;
    if (!one->superseded) return one;
    if (!found && !is_taker(one, process)) found = one;
  }
  return found;
}

static request *find_taken(const world_process *process, const ck_session_request *asks) {
  for (size_t i = 0; i < all.count; i++)
    if (strcmp(all.list[i].id, asks->id) == 0) return &all.list[i];
  return asks->kind == CK_REQUEST_PAUSE ? find_unnamed(process) : NULL;
}

/* The run must find it when it looks. An answer for an earlier run may have been applied by that.
 */
static bool must_be_found(const request *self, const world_process *process) {
  bool may_be_over = self->over || self->doubtful ||
                     (self->kind == CK_REQUEST_ANSWER && is_earlier(self, process));
  return self->left && !may_be_over && !is_taker(self, process);
}

static const char *find_fault(const request *known, const world_process *process,
                              const ck_session_request *asks) {
  return !known                      ? "nobody has left it"
         : known->kind != asks->kind ? "it is of another kind"
         : process->replaced         ? "which was replaced"
         : is_taker(known, process)  ? "it was taken before"
         : known->over               ? "it is over"
                                     : NULL;
}

static request *take(world_model *model, const world_process *process,
                     const ck_session_request *asks) {
  request *known = find_taken(process, asks);
  const char *fault = find_fault(known, process, asks);
  for (request *one = all.list; known && one < known; one++)
    if (must_be_found(one, process))
      model_fail(model, "request %s is taken before %s, which was left before it", asks->id,
                 one->id);
  if (fault) {
    model_fail(model, "request %s is taken by %s: %s", asks->id, ck_session_run(process->session),
               fault);
    return NULL;
  }
  if (is_earlier(known, process))
    cover("request %s is taken by a later run%s", names[known->kind],
          known->taker[0] ? ", again" : "");
  memcpy(known->id, asks->id, sizeof known->id);
  memcpy(known->taker, ck_session_run(process->session), sizeof known->taker);
  return known;
}

/* Nothing was told to have been left, for a run that has found no more. */
static void check_none(world_model *model, const world_process *process) {
  for (size_t i = 0; i < all.count; i++)
    if (must_be_found(&all.list[i], process))
      model_fail(model, "request %s (%s) was left, and is not found", all.list[i].id,
                 names[all.list[i].kind]);
}

static void answer(world *self, world_process *process, const request *known,
                   const ck_session_request *asks, ck_error *err) {
  world_fact *fact = known->fact;
  err->status = ck_execution_answer_as(process->execution, asks->effect, asks->text, asks->by, err);
  cover("request answer: %s", ck_status_name(err->status));
  if (err->status != CK_OK) {
    bool told = err->status == CK_E_NOT_FOUND || (err->status == CK_E_USAGE && !fact);
    if (!told) life_check(self, err->status, err, "answer");
    return;
  }
  for (size_t i = 0; i < self->model.fact_count; i++) {
    world_fact *one = &self->model.facts[i];
    bool meant = fact ? one == fact : one->kind == CK_EFFECT_ASK;
    if (meant) one->said = true, one->words |= 1u << (known->word + (fact ? 0 : WORLD_WORDS));
  }
}

static bool keep_seq(void *to, const ck_checkpoint_info *checkpoint) {
  world_checkpoint *known = model_checkpoint(to, checkpoint->seq);
  if (known) known->seen = true;
  if (checkpoint->seq > all.newest) all.newest = checkpoint->seq;
  return true;
}

/* What a prune leaves: the one that the run would go on from, and those that are pinned. A process
 * that is dead, or whose commit was not answered, reads what was there before. */
static void check_pruned(world *self, world_process *process, bool good) {
  ck_error err = CK_ERROR_INIT;
  world_model *model = &self->model;
  int64_t no = ck_session_get_record(process->session)->no;
  all.newest = 0;
  for (size_t i = 0; i < model->checkpoint_count; i++) model->checkpoints[i].seen = false;
  good = good && !disk_is_dead(process->number) &&
         !ck_store_needs_recovery(process->runtime->store) &&
         ck_store_list_checkpoints(process->runtime->store, no, keep_seq, model, &err) == CK_OK;
  model->pruned_before = good ? all.newest : ck_session_last_seq(process->session) + 1;
  if (good && all.newest < model->saved_seq)
    model_fail(model, "the run has pruned checkpoint %lld, the latest",
               (long long)model->saved_seq);
  for (size_t i = 0; i < model->checkpoint_count; i++) {
    world_checkpoint *known = &model->checkpoints[i];
    bool there = known->seen || known->doubtful || known->pruned;
    if (good && !there && known->pinned)
      model_fail(model, "the run has pruned checkpoint %lld, which is pinned",
                 (long long)known->seq);
    if (!known->pinned) known->doubtful |= !good || !known->seen;
  }
}

static void pin(world_model *model, const ck_session_request *asks, ck_status status) {
  bool lifts = asks->text[0] == '-';
  world_checkpoint *known = model_checkpoint(model, strtoll(asks->text + lifts, NULL, 10));
  if (known && lifts) known->pinned = false;
  if (known && !lifts && status == CK_OK) known->pinned = true;
}

static void maintain(world *self, world_process *process, const ck_session_request *asks,
                     ck_error *err) {
  err->status = ck_session_serve_maintenance(process->session, asks, err);
  if (asks->kind == CK_REQUEST_PRUNE) check_pruned(self, process, err->status == CK_OK);
  if (asks->kind == CK_REQUEST_PIN) pin(&self->model, asks, err->status);
  cover("request %s: %s", names[asks->kind], ck_status_name(err->status));
  bool gone = asks->kind == CK_REQUEST_PIN && err->status == CK_E_NOT_FOUND;
  if (!gone) life_check(self, err->status, err, "serve");
}

static void serve(world *self, world_process *process, request *known,
                  const ck_session_request *asks, ck_error *err) {
  switch (asks->kind) {
    case CK_REQUEST_PAUSE:
      ck_execution_pause(process->execution, asks->text);
      break;
    case CK_REQUEST_CANCEL:
      all.cancels = true;
      ck_execution_cancel(process->execution, asks->text);
      break;
    case CK_REQUEST_ANSWER:
      answer(self, process, known, asks, err);
      break;
    case CK_REQUEST_CHECKPOINT:
      err->status = ck_session_ask_checkpoint(process->session, asks->id, NULL, err);
      known->waits = err->status == CK_OK;
      known->seq = 0; /* what a run before took for it, and died, is gone */
      break;
    default:
      maintain(self, process, asks, err);
  }
}

/* Of several that ask for the same one is kept. */
static bool is_repeated(const request *self, const world_process *process) {
  if (self->kind != CK_REQUEST_PAUSE && self->kind != CK_REQUEST_CANCEL) return false;
  for (size_t i = 0; i < all.count; i++) {
    const request *one = &all.list[i];
    if (one != self && one->kind == self->kind && is_taker(one, process) && one->noted) return true;
  }
  return false;
}

void requests_take(world *self, world_process *process) {
  for (bool found = true; found;) {
    ck_error err = CK_ERROR_INIT, problem = CK_ERROR_INIT;
    ck_session_request asks;
    ck_status status = ck_session_take_request(&asks, &found, process->session, &err);
    if (status != CK_OK) return;
    if (!found) break;
    world_log("request %s", names[asks.kind]);
    request *known = asks.id[0] == 'r' ? take(&self->model, process, &asks) : NULL;
    if (known) serve(self, process, known, &asks, &problem);
    status = ck_session_note_request(process->session, &asks,
                                     problem.status == CK_OK ? NULL : problem.text, &err);
    if (known) known->noted = status == CK_OK;
    if (known)
      known->doubtful |=
          is_done_at_once(known) || is_repeated(known, process) || problem.status != CK_OK;
    ck_session_request_clear(&asks);
    if (status != CK_OK) return;
  }
  if (!disk_is_dead(process->number)) check_none(&self->model, process);
}

/* The next boundary takes the checkpoint, whatever policies say. */
void requests_boundary(const world_process *process, const ck_saved *saved) {
  for (size_t i = 0; i < all.count && !process->replaced; i++) {
    request *one = &all.list[i];
    if (!one->waits || !is_taker(one, process)) continue;
    one->waits = false;
    one->doubtful = true;
    one->seq = saved->seq;
    cover("request checkpoint is taken");
    if (!saved->taken)
      model_fail(&the_world.model, "boundary %lld takes no checkpoint, and one was asked for",
                 (long long)saved->seq);
  }
}

void requests_run_ended(const world_process *process) {
  if (!process->session) return;
  all.rests++;
  for (size_t k = 0; k < all.count; k++) {
    request *one = &all.list[k];
    bool noted = is_taker(one, process) && one->noted;
    if (noted) one->due = true;
    one->over |= is_until_rest(one) || (noted && one->doubtful);
  }
}

/* ---- what is left of them ---- */

/* A pause that was left without an id gets one when a run takes it, or when a person's resume has
 * superseded it: no run takes that one. */
static request *find_noted(ck_bytes id) {
  request *known = find(id);
  for (size_t i = 0; i < all.count && !known; i++) {
    request *one = &all.list[i];
    if (one->id[0] || !one->superseded || id.len < 2 || id.len - 2 >= CK_ID_SIZE) continue;
    snprintf(one->id, sizeof one->id, "%.*s", (int)id.len - 2, id.data + 1);
    known = one;
  }
  return known;
}

void requests_check_event(world_model *model, const ck_event *event) {
  ck_bytes body = event->body ? ck_value_bytes(event->body) : (ck_bytes){0};
  ck_bytes noted = ck_json_get(body, "request"), asked = ck_json_get(body, "requests");
  if (event->kind == CK_EVENT_NOTE && noted.len) {
    request *known = find_noted(noted);
    if (known) known->notes++;
    bool answers = known && known->kind == CK_REQUEST_ANSWER; /* refused for who is not asked */
    if (!known || (!known->taker[0] && !answers))
      model_fail(model, "event %lld notes a request that nobody took: %.*s", (long long)event->seq,
                 (int)noted.len, noted.data);
  }
  if (event->kind != CK_EVENT_BOUNDARY || !asked.len) return;
  for (ck_json_iterator it = ck_json_iterate(asked); ck_json_next(&it);) {
    request *known = find(it.value);
    if (known) known->shown++;
    if (!known || (known->seq && known->seq != event->seq))
      model_fail(model, "the checkpoint at %lld is said to be asked for by %.*s",
                 (long long)event->seq, (int)it.value.len, it.value.data);
  }
}

void requests_check_end(world_model *model) {
  for (size_t i = 0; i < all.count; i++) {
    const request *one = &all.list[i];
    cover("request %s is over: %s", names[one->kind],
          one->notes      ? "noted"
          : one->taker[0] ? "taken"
          : one->over     ? "the session came to rest"
          : one->left     ? "it stands"
                          : "cut off");
    if (one->notes > 1 + one->superseded || (one->due && !one->notes))
      model_fail(model, "request %s (%s) is noted %d times", one->id, names[one->kind], one->notes);
    if (one->shown > 1 || (one->due && one->seq && one->shown != 1))
      model_fail(model, "request %s is shown by %d checkpoints", one->id, one->shown);
  }
}
