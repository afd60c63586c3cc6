/* graph_run.c - runs of graphs. */
#include "tests/lua/flow/graph_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

const char *graph_name_of(const ck_effect *effect) {
  static char name[64];
  char *text = ck_json_dup_string(ck_json_get(effect->request, "name"));
  snprintf(name, sizeof name, "%s", text ? text : "");
  free(text);
  return name;
}

const char *graph_echo(void *to, const ck_effect *effect) {
  static char json[80];
  (void)to;
  if (effect->kind != CK_EFFECT_TOOL) return "true";
  snprintf(json, sizeof json, "\"%s\"", graph_name_of(effect));
  return json;
}

flow_run graph_open_file(const char *path) {
  flow_run run = {.answer = graph_echo};
  flow_run_open(&run, path);
  return run;
}

flow_run graph_open(const char *text) { return graph_open_file(flow_file(text)); }

void graph_survives(const char *text, const char *const *keys, const char *promise) {
  const char *path = flow_file(text);
  flow_run whole = graph_open_file(path);
  tap_is_int(flow_run_finish(&whole), CK_SESSION_COMPLETED, "%s: undisturbed: %s", promise,
             whole.result.text);
  enum { MOVES = 30, SEEDS = 3 };
  int wrong = 0, runs = 0;
  for (int step = 0; step <= MOVES; step++) {
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      flow_run run = graph_open_file(path);
      run.random = seed;
      for (int more = 0; !flow_run_once(&run, step + more) && more < 200; more++) continue;
      bool good = run.result.status == CK_SESSION_COMPLETED && flow_run_twice(&run) == 0;
      for (const char *const *key = keys; *key; key++)
        good = good && strcmp(flow_run_get(&run, *key), flow_run_get(&whole, *key)) == 0;
      if (!good)
        tap_diag("after %d moves, seed %d: %s; %d twice\n%s", step, (int)seed, run.result.text,
                 flow_run_twice(&run), flow_run_log(&run));
      wrong += !good;
      runs += run.runs;
      flow_run_close(&run);
    }
  }
  tap_is_int(wrong, 0,
             "%s: it is killed after each of %d moves, runs %d times, and does nothing twice",
             promise, MOVES, runs);
  flow_run_close(&whole);
}

void graph_fails(const char *text, const char *say, const char *promise) {
  flow_run run = graph_open(text);
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "%s: the session fails", promise);
  if (!tap_ok(strstr(run.result.text, say) != NULL, "it says '%s'", say))
    tap_diag("it says '%s'", run.result.text);
  flow_run_close(&run);
}

const char *graph_fail_first(void *to, const ck_effect *effect) {
  graph_failing *self = to;
  if (effect->kind == CK_EFFECT_TOOL && strcmp(graph_name_of(effect), self->name) == 0 &&
      self->times-- > 0)
    return "!not yet";
  return graph_echo(NULL, effect);
}
