/* replay_range.c - reads the gaps of a view, and all events behind its cut. */
#include "core/runtime/ledger/replay_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
  ck_store *store;
  const ck_replay_range *of;
  ck_event_visit visit;
  void *to;
  bool stopped;
} reading;

ck_status ck_replay_range_visit_positions(const ck_state *state,
                                          void (*visit)(void *to, const char *scope,
                                                        ck_bytes position),
                                          void *to, ck_error *err) {
  static const char prefix[] = "position.";
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, state, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count; i++)
    if (strncmp(entries[i].key, prefix, sizeof prefix - 1) == 0)
      visit(to, entries[i].key + sizeof prefix - 1, ck_value_bytes(entries[i].value));
  free(entries);
  return CK_OK;
}

static int64_t read_or(ck_bytes position, const char *name, int64_t absent) {
  int64_t number;
  return ck_json_read_int(&number, ck_json_get(position, name)) ? number : absent;
}

bool ck_replay_range_has_ended(ck_bytes position, uint32_t attempt) {
  return read_or(position, "end", -1) > read_or(position, "cut", -1) &&
         read_or(position, "attempt", INT64_MAX) >= (int64_t)attempt;
}

int64_t ck_replay_range_cut(ck_bytes position, uint32_t attempt) {
  bool ended = ck_replay_range_has_ended(position, attempt);
  int64_t cut = read_or(position, ended ? "end" : "cut", -1), said = read_or(position, "said", -1);
  return said > cut ? said : cut;
}

int64_t ck_replay_range_scope_cut(const ck_state *state, const char *scope, uint32_t attempt,
                                  int64_t cut) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", scope);
  const ck_value *position = state ? ck_state_get(state, key) : NULL;
  if (!position || ck_replay_range_has_ended(ck_value_bytes(position), attempt)) return cut;
  int64_t own = ck_replay_range_cut(ck_value_bytes(position), attempt);
  return own >= 0 && own < cut ? own : cut;
}

static void keep_earliest(void *to, const char *scope, ck_bytes position) {
  int64_t *earliest = to, cut;
  (void)scope;
  if (ck_json_read_int(&cut, ck_json_get(position, "cut")) && cut < *earliest) *earliest = cut;
}

ck_status ck_replay_range_earliest(int64_t *out, const ck_state *state, int64_t cut,
                                   ck_error *err) {
  *out = cut;
  return ck_replay_range_visit_positions(state, keep_earliest, out, err);
}

static bool pass_on(void *to, const ck_event *event) {
  reading *self = to;
  self->stopped = !self->visit(self->to, event);
  return !self->stopped;
}

/* `last` 0: no bound. */
static ck_status read_range(reading *self, int64_t first, int64_t last, ck_error *err) {
  ck_event_query query = {
      .session = self->of->session,
      .after = first - 1,
      .until = last,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_RESOLUTION};
  if (self->stopped || (last && last < first)) return CK_OK;
  return ck_store_read_events(self->store, &query, pass_on, self, err);
}

ck_status ck_replay_range_read(ck_store *store, const ck_replay_range *of, ck_event_visit visit,
                               void *to, ck_error *err) {
  reading self = {.store = store, .of = of, .visit = visit, .to = to};
  int64_t next = 1, cut;
  ck_status status = ck_replay_range_earliest(&cut, of->state, of->cut, err);
  for (size_t i = 0; i < of->view->count && status == CK_OK; i++) {
    const ck_range *range = &of->view->ranges[i];
    if (range->first > cut) break;
    if (range->first > next) status = read_range(&self, next, range->first - 1, err);
    next = (range->last < cut ? range->last : cut) + 1;
  }
  return status == CK_OK ? read_range(&self, next, of->until, err) : status;
}
