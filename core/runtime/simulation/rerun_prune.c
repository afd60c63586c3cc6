/* rerun_prune.c - asks prune again wherever a run would ask it, over the checkpoints that there
 * would be by then: those that were recorded, without those that went earlier. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/simulation/hook_rerun_private.h"
#include "core/runtime/simulation/recorded_prunes.h"

/* One that was recorded. */
typedef struct candidate {
  ck_checkpoint_info info;
  bool went_then, went_now;
} candidate;

typedef struct pruning {
  ck_asking *asking;
  candidate *list; /* ascending */
  size_t count, cap;
  ck_protected protected;
  ck_prune_points points;
  ck_prune_rules recorded; /* of the run */
  int64_t run;             /* its timeline; 0: none yet */
  int64_t edited;          /* the last timeline that no run has */
} pruning;

/* The checkpoints that there are now, and what becomes of them. */
typedef struct asked {
  ck_checkpoint_info *list; /* the infos are the candidates' */
  size_t *from, count;      /* from: which candidates */
  int64_t *seqs;
  bool *drop, *keep, *stays;
} asked;

static void clear(pruning *self) {
  for (size_t i = 0; i < self->count; i++) ck_checkpoint_info_clear(&self->list[i].info);
  free(self->list);
  ck_protected_clear(&self->protected);
}

/* ---- the checkpoints ---- */

/* Those of an origin are the origin's to prune; of one whose row is gone nothing is known. */
static ck_status add_candidate(pruning *self, int64_t seq) {
  ck_checkpoint_info info;
  ck_error failure = CK_ERROR_INIT;
  const ck_asking *asking = self->asking;
  ck_status status =
      ck_store_get_checkpoint(&info, asking->store, asking->head.session.no, NULL, seq, &failure);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(asking->err);
  if (status != CK_OK) return CK_OK;
  candidate *list =
      info.session ? NULL : ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    bool inherited = info.session != 0;
    ck_checkpoint_info_clear(&info);
    return inherited ? CK_OK : ck_error_no_memory(asking->err);
  }
  self->list = list;
  list[self->count++] = (candidate){.info = info};
  return CK_OK;
}

static bool was_dropped(const ck_event *event, const char *id) {
  if (event->kind != CK_EVENT_PRUNE) return false;
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(event->body), "ids"));
  while (ck_json_next(&it))
    if (ck_json_is_text(it.value, id)) return true;
  return false;
}

/* A person's own choice is one, whatever policies there are. */
static void take_away(pruning *self, const ck_event *event) {
  for (size_t i = 0; i < self->count; i++) {
    candidate *of = &self->list[i];
    if (was_dropped(event, of->info.id)) of->went_then = of->went_now = true;
  }
}

static void clear_asked(asked *self) {
  free(self->list);
  free(self->from);
  free(self->seqs);
  free(self->drop);
}

static ck_status list_now(asked *out, const pruning *self) {
  size_t room = self->count + 1;
  *out = (asked){.list = calloc(room, sizeof *out->list),
                 .from = calloc(room, sizeof *out->from),
                 .seqs = calloc(room, sizeof *out->seqs),
                 .drop = calloc(room, 3 * sizeof *out->drop)};
  if (!out->list || !out->from || !out->seqs || !out->drop)
    return ck_error_no_memory(self->asking->err);
  for (size_t i = 0; i < self->count; i++) {
    if (self->list[i].went_now) continue;
    out->list[out->count] = self->list[i].info;
    out->seqs[out->count] = self->list[i].info.seq;
    out->from[out->count++] = i;
  }
  out->keep = out->drop + room;
  out->stays = out->keep + room;
  return CK_OK;
}

/* ---- what stays whatever policies say ---- */

/* The newest that the run sees, and the newest of these that can be resumed. */
static ck_status mark_newest(asked *of, const pruning *self, const ck_event *event) {
  ck_view view = {0};
  bool found = false;
  const ck_head *head = &self->asking->head;
  ck_status status = ck_view_make(&view, head->timelines, head->timeline_count, event->timeline,
                                  self->asking->err);
  for (size_t i = of->count; status == CK_OK && i-- > 0;) {
    if (!ck_view_contains(&view, of->seqs[i])) continue;
    bool resumable = of->list[i].resumable;
    of->stays[i] |= !found || resumable;
    found = true;
    if (resumable) break;
  }
  ck_view_clear(&view);
  return status;
}

static ck_status mark_stays(asked *of, const pruning *self, const ck_event *event, bool single) {
  ck_status status = mark_newest(of, self, event);
  ck_protected_mark(of->stays, &self->protected, of->seqs, of->count, event->seq, single);
  return status;
}

/* ---- one prune ---- */

/* What storing and pruning have made of them since is not what it was. */
static void find_unknown(ck_unknown *out, const asked *of) {
  bool pruned = false;
  for (size_t i = 0; i < of->count; i++) pruned |= of->list[i].pruned;
  if (!pruned) return;
  ck_unknown_add(out, "checkpoint.bytes");
  ck_unknown_add(out, "checkpoint.is_keyframe");
}

static ck_status ask_policies(asked *of, pruning *self, const ck_event *event) {
  ck_asking *asking = self->asking;
  const ck_history history = {.checkpoints = of->list, .count = of->count, .now_ms = event->at_ms};
  ck_prune_plan plan = {.drop = of->drop, .keep = of->keep};
  ck_unknown unknown = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_asking_open(asking, event->timeline);
  if (status != CK_OK || !asking->engine.prune || !of->count) return status;
  find_unknown(&unknown, of);
  ck_asking_watch(asking, &unknown);
  status = asking->engine.prune(&plan, asking->engine.self, &history, &failure);
  if (asking->engine.watch) asking->engine.watch(asking->engine.self, NULL, NULL);
  if (status == CK_OK) return CK_OK;
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(asking->err);
  memset(of->drop, 0, of->count * sizeof *of->drop);
  if (asking->out->failures++ == 0) asking->out->failure = failure;
  return CK_OK;
}

/* `due`: it is asked now, too. */
static ck_status decide(asked *of, pruning *self, const ck_event *event, bool due) {
  bool single = ck_prune_points_rules(&self->points, &self->recorded).single;
  ck_status status = mark_stays(of, self, event, single);
  self->asking->looked_at = NULL;
  if (!due || status != CK_OK) return status;
  if (!single) return ask_policies(of, self, event);
  memset(of->drop, true, of->count * sizeof *of->drop);
  return CK_OK;
}

static ck_status put_word(char **word, const char *text, ck_error *err) {
  *word = strdup(text);
  return *word ? CK_OK : ck_error_no_memory(err);
}

static const char *word_of(bool drop, bool gone) { return drop ? "drop" : gone ? "gone" : "keep"; }

/* Where nobody was asked, or it is not known whether anybody was, there is no answer then. */
static ck_status add_place(pruning *self, const ck_event *event, candidate *of, bool drop) {
  ck_rerun_place *place;
  ck_asking *asking = self->asking;
  bool prune = event->kind == CK_EVENT_PRUNE;
  bool told = prune ? ck_recorded_prune_was_asked(event)
                    : self->recorded.known && self->recorded.asks && !self->recorded.single;
  bool dropped = was_dropped(event, of->info.id);
  if (!drop && !dropped) return CK_OK;
  ck_status status = ck_asking_add(&place, asking, event->seq, of->info.id);
  if (status == CK_OK && told)
    status = put_word(&place->then.word, word_of(dropped, of->went_then), asking->err);
  if (status != CK_OK) return status;
  if (told && prune) ck_rerun_read_answers(&place->then.answers, event, CK_HOOK_PRUNE);
  place->unknown = asking->looked_at;
  return place->unknown ? CK_OK
                        : put_word(&place->now.word, word_of(drop, of->went_now), asking->err);
}

/* `event`: of the prune, or of the boundary where nothing was pruned. */
static ck_status pass(pruning *self, const ck_event *event, bool due) {
  asked of;
  ck_status status = list_now(&of, self);
  if (status == CK_OK) status = decide(&of, self, event, due);
  for (size_t i = 0, at = 0; i < self->count && status == CK_OK; i++) {
    candidate *each = &self->list[i];
    bool is_there = at < of.count && of.from[at] == i, dropped = was_dropped(event, each->info.id);
    bool drop = is_there && of.drop[at] && (dropped || !of.stays[at]);
    at += is_there;
    status = add_place(self, event, each, drop);
    each->went_now |= drop && !self->asking->looked_at;
    each->went_then |= dropped;
  }
  clear_asked(&of);
  return status;
}

/* ---- the events ---- */

static ck_status begin_run(pruning *self, int64_t timeline) {
  const ck_asking *asking = self->asking;
  if (self->run == timeline) return CK_OK;
  self->run = timeline;
  ck_prune_points_begin(&self->points);
  return ck_recorded_prune_rules(&self->recorded, asking->store, &asking->head, timeline,
                                 asking->err);
}

static ck_boundary boundary_of(const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  char *name = ck_json_dup_string(ck_json_get(body, "kind"));
  ck_boundary out = {.kind = name ? ck_boundary_kind_of(name) : 0};
  ck_json_read_bool(&out.waits, ck_json_get(body, "waits"));
  free(name);
  return out;
}

/* The prune of a run follows the checkpoint behind which it was asked. */
static bool follows(const ck_event *prune, const ck_event *boundary, const pruning *self) {
  if (!prune || prune->kind != CK_EVENT_PRUNE || prune->timeline != boundary->timeline)
    return false;
  return self->recorded.single || ck_recorded_prune_is_own(prune);
}

/* `*used`: `next` was the prune behind it. */
static ck_status pass_boundary(bool *used, pruning *self, const ck_event *event,
                               const ck_event *next) {
  ck_status status = begin_run(self, event->timeline);
  if (status == CK_OK) status = add_candidate(self, event->seq);
  if (status != CK_OK || event->timeline == self->edited) return status;
  *used = follows(next, event, self);
  const ck_boundary at = boundary_of(event);
  bool due = ck_prune_points_pass(&self->points, &self->recorded, &at, *used);
  return due || *used ? pass(self, *used ? next : event, due) : CK_OK;
}

static ck_status take(bool *used, pruning *self, const ck_event *event, const ck_event *next) {
  const ck_timeline *timeline = ck_recorded_timeline(&self->asking->head, event->timeline);
  *used = false;
  if (timeline && timeline->session) return CK_OK;
  if (ck_recorded_is_edit(event)) {
    self->edited = event->timeline;
    return CK_OK;
  }
  if (event->kind == CK_EVENT_BOUNDARY) return pass_boundary(used, self, event, next);
  if (ck_recorded_prune_was_asked(event)) return pass(self, event, true);
  take_away(self, event);
  return CK_OK;
}

ck_status ck_rerun_prune_ask(ck_asking *asking) {
  pruning self = {.asking = asking,
                  .points = {.rules = ck_prune_rules_of(asking->source->profile)}};
  ck_status status = ck_protected_read(&self.protected, asking->store, &asking->head, asking->err);
  for (size_t i = 0; i < asking->later_count && status == CK_OK; i++) {
    bool used;
    const ck_event *next = i + 1 < asking->later_count ? asking->later[i + 1] : NULL;
    status = take(&used, &self, asking->later[i], next);
    i += used;
  }
  clear(&self);
  return status;
}
