/* unread.c - compares the keys that are set with those that a flow declares. */
#include "core/host/preflight/unread.h"

#include <string.h>

#include "core/base/suggest.h"

/* One edit on its way through what the flow declares. The place that all keys of it begin with says
 * nothing about how near two of them are. */
typedef struct search {
  const char *place; /* "memory.", "outputs." */
  ck_suggestion meant;
  size_t declared;
  bool read;
} search;

static void compare(search *self, const char *name) {
  self->declared++;
  self->read |= strcmp(name, self->meant.typed) == 0;
  ck_suggestion_check(&self->meant, name);
}

static void compare_all(search *self, const char *const *keys) {
  for (; keys && *keys; keys++)
    if (strncmp(*keys, self->place, strlen(self->place)) == 0)
      compare(self, *keys + strlen(self->place));
}

static void search_memory(search *self, const ck_flow_manifest *flow) {
  compare_all(self, flow->reads);
  for (size_t i = 0; i < flow->node_count; i++) compare_all(self, flow->nodes[i].reads);
}

static void search_outputs(search *self, const ck_flow_manifest *flow) {
  for (size_t i = 0; i < flow->node_count; i++) compare(self, flow->nodes[i].name);
}

static void report(ck_output *output, const ck_flow_manifest *flow, const char *key) {
  static const struct {
    const char *place;
    void (*search)(search *, const ck_flow_manifest *);
  } places[] = {{"memory.", search_memory}, {"outputs.", search_outputs}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *place = places[i].place;
    if (strncmp(key, place, strlen(place)) != 0) continue;
    search s = {.place = place, .meant = {.typed = key + strlen(place)}};
    places[i].search(&s, flow);
    if (s.read || !s.declared) return;
    bool near = s.meant.best != NULL;
    ck_output_notice(output, "--set %s: nothing in flow %s says that it reads it%s%s%s%s", key,
                     flow->name ? flow->name : flow->path, near ? "; did you mean " : "",
                     near ? place : "", near ? s.meant.best : "", near ? "?" : "");
  }
}

void ck_unread_report(ck_output *output, const ck_flow_manifest *flow, const ck_state_edits *edits,
                      const ck_state *state) {
  for (size_t i = 0; edits && i < edits->count; i++) {
    const char *key = edits->items[i].key;
    if (!(state && ck_state_get(state, key))) report(output, flow, key);
  }
}
