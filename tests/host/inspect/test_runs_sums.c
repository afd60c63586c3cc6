/* test_runs_sums.c - what is shown of runs is what the whole transcript adds up to, whichever
 * checkpoints keep sums: random histories of calls, crashes, rewinds, forks, deleted origins,
 * prunes, and runs of versions that keep none or say less in them, against a plain addition; a
 * resume that reads where its conversation lies alone has all of it; and sums that are not those of
 * the events are found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/recent_effects.h"
#include "core/host/inspect/runs.h"
#include "core/runtime/history/fork.h"
#include "core/runtime/history/prune_at_rest.h"
#include "core/runtime/history/rewind.h"
#include "core/runtime/session/scopes.h"
#include "core/runtime/session/session_private.h"
#include "core/store/session_sums.h"
#include "core/store/verify.h"
#include "tests/dice.h"
#include "tests/tap.h"

enum { HISTORIES = 25, SEED = 7, STEPS = 24, KEYS = 9, SESSIONS_MAX = 32 };

static ck_error err;
static test_dice dice;

static int roll(int sides) { return (int)dice_pick(&dice, (uint64_t)sides); }

typedef struct history {
  ck_runtime *runtime;
  char ids[SESSIONS_MAX][24]; /* "": deleted */
  size_t count;
  int number, made;
  int64_t kept;                  /* answers that came from a checkpoint's sums */
  int64_t uncalled;              /* those that say from where on there are calls */
  int64_t folded, narrow, wrong; /* conversations; of them those of several stretches; other ones */
} history;

static const char *one_of(const history *self) { return self->ids[dice_pick(&dice, self->count)]; }

/* ---- a run ---- */

static void append(ck_session *session, ck_event_kind kind, const char *text) {
  ck_value *body;
  tap_must(ck_value_new(&body, ck_bytes_text(text), &err) == CK_OK, "a body: %s", err.text);
  tap_must(ck_session_append(session, kind, NULL, NULL, body, &err) == CK_OK, "it is appended: %s",
           err.text);
  ck_value_free(body);
}

static void append_outcome(ck_session *session, int key) {
  static const char *const more[] = {"",
                                     ",\"reserved\":3",
                                     ",\"cut\":\"length\"",
                                     ",\"via\":\"lost\"",
                                     ",\"via\":\"runtime\"",
                                     ",\"denied\":{}"};
  char text[256];
  bool model = roll(2);
  int cost = roll(9) - 1, input = roll(50), also = roll(sizeof more / sizeof *more);
  snprintf(text, sizeof text,
           "{\"key\":\"main/k%d\",\"kind\":\"%s\",\"status\":\"ok\",\"cost\":%d,\"input_tokens\":"
           "%d%s}",
           key, model ? "model" : "tool", cost, input, more[also]);
  append(session, CK_EVENT_OUTCOME, text);
}

static void act(ck_session *session) {
  char text[128];
  int key = roll(KEYS), what = roll(18);
  ck_saved saved;
  snprintf(text, sizeof text, "{\"key\":\"main/k%d\",\"kind\":\"tool\",\"class\":\"pure\"}", key);
  if (what < 4) append(session, CK_EVENT_INTENT, text);
  if (what >= 4 && what < 8) append_outcome(session, key);
  if (what == 8)
    append(session, CK_EVENT_RESOLUTION,
           "{\"key\":\"main/k1\",\"verdict\":\"retry\",\"policy\":\"p\"}");
  if (what == 9) append(session, CK_EVENT_SAVING, "{\"what\":\"saved\",\"checkpoints\":1}");
  snprintf(text, sizeof text, "{\"message\":{\"role\":\"user\",\"content\":\"%d\"}}",
           roll(1000000));
  if (what == 10) append(session, CK_EVENT_MESSAGE, text);
  for (int i = 0; what == 11 && i < 2 * CK_STRETCHES_GAP; i++) append(session, CK_EVENT_NOTE, "{}");
  if (what > 11)
    tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                                 &err) == CK_OK,
             "a boundary: %s", err.text);
}

/* Some die, with or without what they appended last. What an earlier run did not say stays unsaid
 * where there is much of it (CK_SUMS_MOST). */
static void work(ck_session *session) {
  if (roll(8) == 0) session->sums.failed = true; /* as a version that keeps none */
  if (roll(8) == 0) session->sums.untold = true; /* as one that did not say where it lies */
  for (int i = roll(40); i-- > 0;) act(session);
  if (roll(2))
    tap_must(ck_session_pause(session, "enough", &err) == CK_OK, "a pause: %s", err.text);
  else if (roll(2))
    tap_must(ck_session_flush(session, CK_DURABLE_PROCESS, &err) == CK_OK, "a flush");
  ck_session_close(session);
}

/* ---- what happens to a session ---- */

typedef struct picking {
  char id[CK_ID_SIZE];
  int seen;
} picking;

static bool pick(void *to, const ck_checkpoint_info *checkpoint) {
  picking *self = to;
  if (checkpoint->resumable && roll(++self->seen) == 0)
    memcpy(self->id, checkpoint->id, sizeof self->id);
  return true;
}

/* NULL: the session has none. */
static const char *any_checkpoint(picking *out, const history *self, const char *id) {
  ck_head head;
  *out = (picking){.seen = 0};
  tap_must(ck_store_get_head(&head, self->runtime->store, id, &err) == CK_OK, "head: %s", err.text);
  tap_must(
      ck_store_list_checkpoints(self->runtime->store, head.session.no, pick, out, &err) == CK_OK,
      "checkpoints: %s", err.text);
  ck_head_clear(&head);
  return out->seen ? out->id : NULL;
}

/* What the session has of its conversation, against a reading of its whole transcript. */
static void compare_said(history *self, ck_session *session) {
  ck_conversation *got;
  ck_scope *whole;
  tap_must(ck_session_conversation(&got, session, "main", &err) == CK_OK &&
               ck_scope_new(&whole, "main", &err) == CK_OK &&
               ck_scope_fold(whole, self->runtime->store, session->record.no, &session->view,
                             session->cut, &err) == CK_OK,
           "a conversation: %s", err.text);
  ck_digest a = ck_conversation_digest(got);
  ck_digest b = ck_conversation_digest(ck_scope_conversation(whole));
  self->folded += ck_conversation_count(got) > 0;
  self->narrow += !session->sums.failed && !session->sums.untold && session->sums.said.count > 1;
  self->wrong += !ck_digest_equal(&a, &b);
  ck_scope_free(whole);
}

static void resume(history *self, const char *id) {
  picking p;
  ck_session *session;
  ck_resume_options options = {.retry = true};
  if (roll(4) == 0) options.checkpoint = any_checkpoint(&p, self, id);
  tap_must(ck_session_resume(&session, self->runtime, id, &options, &err) == CK_OK, "a resume: %s",
           err.text);
  compare_said(self, session);
  work(session);
}

static void rewind_or_fork(history *self, const char *id) {
  picking p;
  ck_history_edit_result made;
  ck_history_edit_options options = {.checkpoint = any_checkpoint(&p, self, id)};
  bool forks = roll(3) && self->count < SESSIONS_MAX;
  if (!options.checkpoint) return;
  if (forks)
    snprintf(self->ids[self->count], sizeof *self->ids, "h%d_%d", self->number, ++self->made);
  if (forks)
    options.fork = self->ids[self->count++];
  else
    options.report = "It was left.";
  ck_status status = forks ? ck_session_fork(&made, self->runtime, id, &options, &err)
                           : ck_session_rewind(&made, self->runtime, id, &options, &err);
  tap_must(status == CK_OK, "it goes back: %s", err.text);
}

static void prune(const history *self, const char *id) {
  ck_pruned pruned;
  ck_prune_order order = {.keep = roll(6)};
  tap_must(ck_session_prune_at_rest(&pruned, self->runtime->store, id, &order, &err) == CK_OK,
           "a prune: %s", err.text);
  ck_pruned_clear(&pruned);
}

/* Its forks then have a copy of what they need. */
static void delete (history *self, char *id) {
  ck_head head;
  ck_lease lease;
  ck_store *store = self->runtime->store;
  tap_must(ck_store_get_head(&head, store, id, &err) == CK_OK, "head: %s", err.text);
  tap_must(ck_store_lock_session(&lease, store, id, head.session.epoch, &err) == CK_OK, "a lock");
  ck_head_clear(&head);
  bool deleted = ck_store_delete_session(store, lease, true, &err) == CK_OK;
  if (!deleted) ck_store_release(store, lease); /* a fork stands at what it inherits */
  if (deleted) memcpy(id, self->ids[--self->count], sizeof *self->ids);
}

static void step(history *self) {
  char *id = (char *)one_of(self);
  int what = roll(12);
  self->runtime->sums_every = roll(30) - 1; /* 0: as it is outside of tests; -1: each has them */
  if (what < 7)
    resume(self, id);
  else if (what < 10)
    rewind_or_fork(self, id);
  else if (what == 10)
    prune(self, id);
  else if (self->count > 1)
    delete (self, id);
}

/* ---- the oracle ---- */

typedef struct call {
  char key[32];
  int64_t timeline; /* 0: not open */
} call;

typedef struct oracle {
  const ck_head *head;
  ck_totals spent[256];
  int64_t reserved[256], all_reserved, cut_off;
  call calls[KEYS];
  int64_t settled, saved;
} oracle;

static bool is_own(const oracle *self, int64_t timeline) {
  for (size_t i = 0; i < self->head->timeline_count; i++)
    if (self->head->timelines[i].no == timeline) return !self->head->timelines[i].session;
  return false;
}

static void add_outcome(oracle *self, int64_t began, int64_t timeline, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body), via = ck_json_get(body, "via");
  int64_t cost = 0, reserved = 0, input = 0;
  ck_json_read_int(&cost, ck_json_get(body, "cost"));
  ck_json_read_int(&input, ck_json_get(body, "input_tokens"));
  if (!ck_json_read_int(&reserved, ck_json_get(body, "reserved")) && ck_json_is_text(via, "lost"))
    reserved = cost;
  if (reserved < 0) reserved = 0;
  self->all_reserved += reserved;
  self->cut_off += ck_json_get(body, "cut").len > 0;
  if (!is_own(self, timeline)) return;
  int64_t payer = began && is_own(self, began) ? began : timeline;
  ck_totals *to = &self->spent[payer];
  self->reserved[payer] += reserved;
  to->cost_micros += cost < 0 ? 0 : cost;
  to->unmetered += cost < 0;
  to->input_tokens += input;
  if (ck_json_is_text(via, "runtime") || ck_json_get(body, "denied").len) return;
  to->model_calls += ck_json_is_text(ck_json_get(body, "kind"), "model");
  to->tool_calls += ck_json_is_text(ck_json_get(body, "kind"), "tool");
}

static bool take(void *to, const ck_event *event) {
  oracle *self = to;
  int key = 0;
  bool intent = event->kind == CK_EVENT_INTENT;
  self->settled += event->kind == CK_EVENT_RESOLUTION;
  self->saved += event->kind == CK_EVENT_SAVING;
  if (!intent && event->kind != CK_EVENT_OUTCOME) return true;
  for (key = 0; key < KEYS; key++) {
    snprintf(self->calls[key].key, sizeof self->calls[key].key, "main/k%d", key);
    if (ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "key"), self->calls[key].key))
      break;
  }
  tap_must(key < KEYS, "a known key");
  if (!intent) add_outcome(self, self->calls[key].timeline, event->timeline, event);
  self->calls[key].timeline = intent ? event->timeline : 0;
  return true;
}

typedef struct beside {
  int64_t settled, saved;
} beside;

static bool take_beside(void *to, const ck_event *event) {
  beside *self = to;
  self->settled += event->kind == CK_EVENT_RESOLUTION;
  self->saved += event->kind == CK_EVENT_SAVING;
  return true;
}

static bool same_run(const oracle *o, const ck_run *run) {
  const ck_totals *a = &o->spent[run->timeline->no], *b = &run->spent;
  return a->cost_micros == b->cost_micros && a->input_tokens == b->input_tokens &&
         a->model_calls == b->model_calls && a->tool_calls == b->tool_calls &&
         a->unmetered == b->unmetered && o->reserved[run->timeline->no] == run->reserved;
}

/* What is looked for behind that alone is what there is. */
static bool same_effects(history *self, const ck_head *head, int64_t uncalled) {
  ck_recent_effects all = {0}, some = {0};
  ck_store *store = self->runtime->store;
  tap_must(ck_recent_effects_read(&all, store, head, 0, false, &err) == CK_OK &&
               ck_recent_effects_read(&some, store, head, uncalled, false, &err) == CK_OK,
           "effects: %s", err.text);
  bool same = all.count == some.count;
  for (size_t i = 0; same && i < all.count; i++)
    same = all.list[i].seq == some.list[i].seq && all.list[i].status == some.list[i].status;
  self->uncalled += uncalled > 0 && all.count > 0;
  ck_recent_effects_clear(&all);
  ck_recent_effects_clear(&some);
  return same;
}

static bool agrees(history *self, const char *id) {
  ck_head head;
  ck_runs runs = {0};
  ck_sums sums;
  beside seen = {0};
  ck_store *store = self->runtime->store;
  oracle *o = calloc(1, sizeof *o);
  ck_runs_beside read = {1ull << CK_EVENT_RESOLUTION | 1ull << CK_EVENT_SAVING, take_beside, &seen};
  tap_must(o && ck_store_get_head(&head, store, id, &err) == CK_OK, "head: %s", err.text);
  o->head = &head;
  ck_event_query all = {.session = head.session.no};
  tap_must(head.session.timeline < 256, "few timelines");
  tap_must(ck_store_read_events(store, &all, take, o, &err) == CK_OK, "events: %s", err.text);
  tap_must(ck_runs_read(&runs, store, &head, false, &read, &err) == CK_OK, "runs: %s", err.text);
  const ck_sums_query query = {.session = head.session.no, .until = head.last_seq};
  tap_must(ck_store_get_sums(&sums, store, &query, &err) == CK_OK, "sums: %s", err.text);
  self->kept += sums.kept > 0;
  ck_sums_clear(&sums);
  int64_t open = 0;
  for (int i = 0; i < KEYS; i++) open += o->calls[i].timeline != 0;
  bool same = runs.reserved == o->all_reserved && runs.cut_off == o->cut_off && runs.open == open &&
              seen.settled == o->settled && seen.saved == o->saved;
  for (size_t i = 0; i < runs.count; i++) same = same && same_run(o, &runs.list[i]);
  same = same && same_effects(self, &head, runs.uncalled);
  if (!same) tap_diag("%s, of %lld events", id, (long long)head.last_seq);
  ck_runs_clear(&runs);
  ck_head_clear(&head);
  free(o);
  return same;
}

/* ---- histories ---- */

static void tell(void *to, const char *id, int64_t seq, ck_status status, const char *text) {
  (void)to, (void)status;
  tap_diag("%s at %lld: %s", id, (long long)seq, text);
}

static int64_t problems(const history *self) {
  ck_verify_report report;
  tap_must(ck_store_verify(&report, self->runtime->store, NULL, tell, NULL, &err) == CK_OK,
           "it is verified: %s", err.text);
  return report.problems;
}

/* The sums that are kept here are the last ones for long: before any call or verdict, or behind
 * one. */
static void begin_calmly(history *self, ck_session *session) {
  ck_saved saved;
  int what = roll(5);
  self->runtime->sums_every = -1;
  if (what == 1)
    append(session, CK_EVENT_INTENT, "{\"key\":\"main/k0\",\"kind\":\"tool\",\"class\":\"pure\"}");
  if (what == 2)
    append(session, CK_EVENT_RESOLUTION, "{\"key\":\"main/k1\",\"verdict\":\"retry\"}");
  if (what == 3) append_outcome(session, 1);
  for (int i = 0; i < 2; i++)
    tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                                 &err) == CK_OK,
             "a boundary: %s", err.text);
  self->runtime->sums_every = 0;
}

static void begin(history *self, int number) {
  ck_session *session;
  self->number = number;
  self->count = 1;
  snprintf(self->ids[0], sizeof self->ids[0], "h%d", number);
  tap_must(ck_session_start(&session, self->runtime, &(ck_session_options){.id = self->ids[0]},
                            &err) == CK_OK,
           "a session: %s", err.text);
  if (roll(4)) begin_calmly(self, session);
  work(session);
}

static bool try_history(history *self, int number) {
  begin(self, number);
  bool same = agrees(self, self->ids[0]);
  for (int i = 0; i < STEPS && same; i++) {
    step(self);
    for (size_t k = 0; k < self->count && same; k++) same = agrees(self, self->ids[k]);
  }
  return same;
}

static void test_histories(const char *url) {
  history self = {0};
  int right = 0, histories = (int)dice_number("SUMS_HISTORIES", HISTORIES);
  dice = (test_dice){dice_number("SUMS_SEED", SEED)};
  tap_diag("SUMS_HISTORIES=%d SUMS_SEED=%llu", histories, (unsigned long long)dice.state);
  tap_must(
      ck_runtime_open(&self.runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
      "a store: %s", err.text);
  for (int i = 0; i < histories; i++) right += try_history(&self, i);
  tap_is_int(right, histories,
             "runs, open calls and estimates are what the transcript adds up to, at each point of "
             "random histories");
  tap_ok(self.kept > histories, "most of it is read from checkpoints that keep sums (%lld)",
         (long long)self.kept);
  tap_ok(self.uncalled > 0, "some say from where on calls are to be looked for (%lld)",
         (long long)self.uncalled);
  tap_is_int(self.wrong, 0, "of %lld conversations that are resumed none lacks anything",
             (long long)self.folded);
  tap_ok(self.narrow > histories, "though they are looked for in parts of the transcript (%lld)",
         (long long)self.narrow);
  tap_is_int(problems(&self), 0, "verify finds nothing");
  ck_runtime_close(self.runtime);
}

static void change_count(ck_sums *sums) { sums->cut_off++; }
static void change_said(ck_sums *sums) { sums->said.list[0].last--; }

static void test_wrong_sums(void (*change)(ck_sums *sums)) {
  history self = {0};
  ck_session *session;
  ck_saved saved;
  tap_must(ck_runtime_open(&self.runtime, "memory:", &(ck_store_options){.create = true}, NULL,
                           &err) == CK_OK,
           "a store");
  self.runtime->sums_every = 1;
  tap_must(
      ck_session_start(&session, self.runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
      "a session");
  append_outcome(session, 1);
  append_outcome(session, 1);
  change(&session->sums);
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                               &err) == CK_OK,
           "a boundary");
  session->sums.failed = true;
  tap_must(ck_session_pause(session, "enough", &err) == CK_OK, "a pause");
  ck_session_close(session);
  tap_is_int(problems(&self), 1, "verify finds sums that are not those of the events");
  ck_runtime_close(self.runtime);
}

int main(void) {
  test_histories("memory:");
  test_wrong_sums(change_count);
  test_wrong_sums(change_said);
  return tap_done();
}
