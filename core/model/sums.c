/* sums.c - adds up what calls come to, and writes and reads that. */
#include "core/model/sums.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/model/effect.h"

#define OPENINGS                                                         \
  (1ull << CK_EVENT_SESSION_STARTED | 1ull << CK_EVENT_SESSION_RESUMED | \
   1ull << CK_EVENT_SESSION_FORKED | 1ull << CK_EVENT_SESSION_REWOUND |  \
   1ull << CK_EVENT_SESSION_UNDONE)
#define BESIDE (1ull << CK_EVENT_RESOLUTION | 1ull << CK_EVENT_SAVING)

const uint64_t ck_sums_kinds =
    1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | OPENINGS | BESIDE;
const uint64_t ck_sums_said_kinds = 1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_OUTCOME |
                                    1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_REWIND;

/* ---- what one outcome says ---- */

void ck_totals_add_body(ck_totals *totals, ck_bytes body) {
  ck_bytes kind = ck_json_get(body, "kind");
  int64_t cost = 0, input = 0, output = 0;
  ck_json_read_int(&cost, ck_json_get(body, "cost"));
  ck_json_read_int(&input, ck_json_get(body, "input_tokens"));
  ck_json_read_int(&output, ck_json_get(body, "output_tokens"));
  if (cost < 0)
    totals->unmetered++;
  else
    totals->cost_micros = ck_micros_add(totals->cost_micros, cost);
  totals->input_tokens += input;
  totals->output_tokens += output;
  bool list = false, begun = !ck_json_is_text(ck_json_get(body, "via"), "runtime") &&
                             !ck_json_get(body, "denied").len;
  ck_json_read_bool(&list, ck_json_get(body, "list"));
  if (!begun || ck_json_is_text(ck_json_get(body, "status"), "ended")) return;
  if (ck_json_is_text(kind, "model")) totals->model_calls++;
  if (ck_json_is_text(kind, "tool") && !list) totals->tool_calls++;
}

/* That of a call whose own outcome was lost is what was reserved for it. */
int64_t ck_outcome_read_reserved(ck_bytes body) {
  int64_t reserved = 0;
  bool lost = ck_json_is_text(ck_json_get(body, "via"), "lost");
  if (!ck_json_read_int(&reserved, ck_json_get(body, "reserved")) && lost)
    ck_json_read_int(&reserved, ck_json_get(body, "cost"));
  return reserved > 0 ? reserved : 0;
}

/* ---- calls that are open ---- */

/* The timeline that began it; 0: there is no such call. */
static int64_t forget_call(ck_sums *self, const char *key) {
  ck_open_call *of = ck_map_remove(&self->open, key).value;
  int64_t timeline = of ? of->timeline : 0;
  if (!of) return 0;
  *(of->before ? &of->before->after : &self->first) = of->after;
  *(of->after ? &of->after->before : &self->last) = of->before;
  free(of->key);
  free(of);
  return timeline;
}

/* Takes `key`. */
static void remember_call(ck_sums *self, char *key, int64_t timeline) {
  ck_error ignored = CK_ERROR_INIT;
  forget_call(self, key);
  ck_open_call *of = malloc(sizeof *of);
  if (!of || ck_map_add(&self->open, key, of, &ignored) != CK_OK) {
    free(of);
    free(key);
    self->failed = true;
    return;
  }
  *of = (ck_open_call){.key = key, .timeline = timeline, .before = self->last};
  *(self->last ? &self->last->after : &self->first) = of;
  self->last = of;
}

/* ---- events ---- */

static ck_sum *find_sum(ck_sums *self, int64_t began, int64_t recorded) {
  for (size_t i = self->count; i-- > 0;)
    if (self->list[i].began == began && self->list[i].recorded == recorded) return &self->list[i];
  ck_sum *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  self->failed |= !list;
  if (!list) return NULL;
  self->list = list;
  self->list[self->count] = (ck_sum){.began = began, .recorded = recorded};
  return &self->list[self->count++];
}

static void take_outcome(ck_sums *self, int64_t began, int64_t recorded, ck_bytes body) {
  ck_sum *sum = find_sum(self, began ? began : recorded, recorded);
  if (!sum) return;
  ck_totals_add_body(&sum->spent, body);
  sum->reserved = ck_micros_add(sum->reserved, ck_outcome_read_reserved(body));
  self->cut_off += ck_json_get(body, "cut").len > 0;
}

static void take_call(ck_sums *self, const ck_event *event, ck_bytes body) {
  char *key = ck_json_dup_string(ck_json_get(body, "key"));
  self->failed |= !key;
  if (!key) return;
  if (event->kind == CK_EVENT_INTENT) {
    remember_call(self, key, event->timeline);
    return;
  }
  take_outcome(self, forget_call(self, key), event->timeline, body);
  free(key);
}

static void take_beside(ck_sums *self, int64_t seq) {
  if (!self->beside_first) self->beside_first = seq;
  self->beside_last = seq;
}

static uint64_t bit_of(ck_event_kind kind) { return (unsigned)kind < 64 ? 1ull << kind : 0; }

void ck_sums_take_calls(ck_sums *self, const ck_event *event, ck_bytes body) {
  uint64_t kind = bit_of(event->kind);
  bool opens = kind & OPENINGS, again = opens && event->timeline == self->opened;
  if (kind & BESIDE || again) take_beside(self, event->seq);
  if (opens) self->opened = event->timeline;
  if (kind & ck_sums_kinds && !(kind & BESIDE) && !opens) take_call(self, event, body);
}

void ck_sums_take(ck_sums *self, const ck_event *event, ck_bytes body) {
  ck_sums_take_calls(self, event, body);
  if (bit_of(event->kind) & ck_sums_said_kinds) ck_stretches_take(&self->said, event->seq);
  self->until = event->seq;
}

void ck_sums_clear(ck_sums *self) {
  while (self->first) forget_call(self, self->first->key);
  ck_map_clear(&self->open);
  free(self->list);
  *self = (ck_sums){0};
}

/* ---- as JSON ---- */

enum { SUM_NUMBERS = 9 };

static void write_sum(ck_json_writer *w, const ck_sum *sum) {
  const int64_t numbers[SUM_NUMBERS] = {
      sum->began,
      sum->recorded,
      sum->spent.cost_micros,
      sum->spent.input_tokens,
      sum->spent.output_tokens,
      sum->spent.model_calls,
      sum->spent.tool_calls,
      sum->spent.unmetered,
      sum->reserved,
  };
  ck_json_begin(w, '[');
  for (size_t i = 0; i < SUM_NUMBERS; i++) ck_json_put_int(w, numbers[i]);
  ck_json_end(w, ']');
}

void ck_sums_write(ck_buffer *out, const ck_sums *self) {
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "runs");
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->count; i++) write_sum(&w, &self->list[i]);
  ck_json_end(&w, ']');
  ck_json_name(&w, "open");
  ck_json_begin(&w, '[');
  for (const ck_open_call *of = self->first; of; of = of->after) {
    ck_json_put_int(&w, of->timeline);
    ck_json_put_text(&w, of->key);
  }
  ck_json_end(&w, ']');
  ck_json_member_int(&w, "cut", self->cut_off);
  ck_json_member_int(&w, "opened", self->opened);
  ck_json_member_int(&w, "first", self->beside_first);
  ck_json_member_int(&w, "last", self->beside_last);
  if (!self->untold) ck_json_name(&w, "said");
  if (!self->untold) ck_stretches_write(&w, &self->said);
  ck_json_end(&w, '}');
}

static bool read_sum(ck_sums *self, ck_bytes json) {
  int64_t n[SUM_NUMBERS];
  size_t count = 0;
  ck_json_iterator it = ck_json_iterate(json);
  while (count < SUM_NUMBERS && ck_json_next(&it))
    if (!ck_json_read_int(&n[count++], it.value)) return false;
  if (count < SUM_NUMBERS || ck_json_next(&it)) return false;
  ck_sum *sum = find_sum(self, n[0], n[1]);
  if (!sum) return false;
  sum->spent = (ck_totals){.cost_micros = n[2],
                           .input_tokens = n[3],
                           .output_tokens = n[4],
                           .model_calls = n[5],
                           .tool_calls = n[6],
                           .unmetered = n[7]};
  sum->reserved = n[8];
  return true;
}

static bool read_open(ck_sums *self, ck_bytes json) {
  int64_t timeline;
  for (ck_json_iterator it = ck_json_iterate(json); ck_json_next(&it);) {
    bool begun = ck_json_read_int(&timeline, it.value) && ck_json_next(&it);
    char *key = begun ? ck_json_dup_string(it.value) : NULL;
    if (!key) return false;
    remember_call(self, key, timeline);
  }
  return true;
}

bool ck_sums_read(ck_sums *out, ck_bytes json) {
  ck_bytes said = ck_json_get(json, "said");
  *out = (ck_sums){.untold = said.len == 0};
  ck_bytes runs = ck_json_get(json, "runs"), open = ck_json_get(json, "open");
  bool read = ck_json_type_of(runs) == CK_JSON_ARRAY && ck_json_type_of(open) == CK_JSON_ARRAY;
  for (ck_json_iterator it = ck_json_iterate(runs); read && ck_json_next(&it);)
    read = read_sum(out, it.value);
  read = read && read_open(out, open) &&
         ck_json_read_int(&out->cut_off, ck_json_get(json, "cut")) &&
         ck_json_read_int(&out->opened, ck_json_get(json, "opened")) &&
         ck_json_read_int(&out->beside_first, ck_json_get(json, "first")) &&
         ck_json_read_int(&out->beside_last, ck_json_get(json, "last")) &&
         (out->untold || ck_stretches_read(&out->said, said));
  return read && !out->failed;
}

ck_value *ck_sums_hide(const ck_value *info) {
  ck_error ignored = CK_ERROR_INIT;
  ck_value *shown = NULL;
  ck_buffer text = {0};
  if (!ck_json_get(ck_value_bytes(info), CK_SUMS_MEMBER).len) return ck_value_share(info);
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_put_members(&w, ck_value_bytes(info), CK_SUMS_MEMBER);
  ck_json_end(&w, '}');
  if (ck_value_from(&shown, &text, &ignored) != CK_OK) shown = NULL;
  ck_buffer_clear(&text);
  return shown;
}
