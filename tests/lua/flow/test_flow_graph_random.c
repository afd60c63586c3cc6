/* test_flow_graph_random.c - graphs of random shape, with failures and kills at random: every node
 * runs once at every visit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/lua/flow/flow_run.h"
#include "tests/tap.h"

enum { GRAPHS = 24, RUNS = 8, TURNS = 2, RUNS_MAX = 400 };

typedef struct chance {
  uint64_t state;
  int failures; /* in percent */
} chance;

static uint32_t draw(chance *self, uint32_t below) {
  self->state = self->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(self->state >> 33) % below;
}

static const char *answer(void *to, const ck_effect *effect) {
  static char json[80];
  chance *self = to;
  char *name = ck_json_dup_string(ck_json_get(effect->request, "name"));
  snprintf(json, sizeof json, "\"%s\"", name ? name : "");
  free(name);
  return (int)draw(self, 100) < self->failures ? "!chance" : json;
}

/* Segments one after the other, walked TURNS times: a node, or branches of one or two nodes each,
 * which meet at the next one. */
typedef struct shape {
  ck_buffer nodes, edges;
  int count;
} shape;

static int add_node(shape *self) {
  int number = ++self->count;
  ck_buffer_append_format(&self->nodes, "n%d = work(\"n%d\"), ", number, number);
  return number;
}

static void add_branches(shape *self, chance *dice, int from, int meet) {
  int branches = 2 + (int)draw(dice, 2);
  ck_buffer_append_format(&self->edges, "n%d = { ", from);
  ck_buffer links = {0};
  for (int i = 0; i < branches; i++) {
    int first = add_node(self), last = first;
    ck_buffer_append_format(&self->edges, "%s\"n%d\"", i ? ", " : "", first);
    if (draw(dice, 2)) {
      last = add_node(self);
      ck_buffer_append_format(&links, "n%d = \"n%d\", ", first, last);
    }
    ck_buffer_append_format(&links, "n%d = \"n%d\", ", last, meet);
  }
  ck_buffer_append_format(&self->edges, " }, %s", links.data);
  ck_buffer_clear(&links);
}

static void make_graph(ck_buffer *out, int *count, chance *dice) {
  shape s = {0};
  int here = add_node(&s), segments = 1 + (int)draw(dice, 4);
  for (int i = 0; i < segments; i++) {
    int next = add_node(&s);
    if (draw(dice, 2))
      add_branches(&s, dice, here, next);
    else
      ck_buffer_append_format(&s.edges, "n%d = \"n%d\", ", here, next);
    here = next;
  }
  ck_buffer_append_format(
      out,
      "local flow = require \"ck.flow\"\n"
      "local function call(ctx, name)\n"
      "  local got = ctx.effect { kind = \"tool\", class = \"once\", request = { name = name } }\n"
      "  if got.status ~= \"ok\" then error(got.error, 0) end\n"
      "  return got.result\nend\n"
      "local function work(name) return function(ctx)\n"
      "  local place = name .. \".\" .. (ctx.memory.turn or 1)\n"
      "  call(ctx, \"first \" .. place)\n"
      "  ctx.memory[name] = call(ctx, place)\nend end\n"
      "return flow.graph { start = \"n1\", nodes = { %s\n"
      "  turn = function(ctx) ctx.memory.turn = (ctx.memory.turn or 1) + 1 end },\n"
      "  edges = { %s n%d = \"turn\",\n"
      "    turn = flow.choose { to = { \"n1\", flow.done }, function(ctx) return ctx.memory.turn "
      "<= %d and \"n1\" or flow.done end } } }\n",
      s.nodes.data, s.edges.data ? s.edges.data : "", here, TURNS);
  *count = s.count;
  ck_buffer_clear(&s.nodes);
  ck_buffer_clear(&s.edges);
}

/* How often the effect of this name went well, whatever its key. */
static int times_done(const ck_state_entry *entries, size_t count, const char *name) {
  int done = 0;
  char want[96];
  snprintf(want, sizeof want, "\"%s\"", name);
  for (size_t i = 0; i < count; i++) {
    int64_t times = 0;
    ck_bytes ran = ck_value_bytes(entries[i].value);
    if (ck_json_is_text(ck_json_get(ran, "answer"), want) &&
        ck_json_read_int(&times, ck_json_get(ran, "times")))
      done += (int)times;
  }
  return done;
}

static bool each_once(const flow_run *run, int nodes) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  bool good = true;
  tap_must(ck_state_list(&entries, &count, run->ran, &err) == CK_OK, "%s", err.text);
  for (int node = 1; node <= nodes && good; node++) {
    char name[32], key[32], want[32];
    for (int turn = 1; turn <= TURNS && good; turn++) {
      snprintf(name, sizeof name, "first n%d.%d", node, turn);
      good = times_done(entries, count, name) == 1 &&
             times_done(entries, count, name + strlen("first ")) == 1;
    }
    snprintf(key, sizeof key, "memory.n%d", node);
    snprintf(want, sizeof want, "\"n%d.%d\"", node, TURNS);
    good = good && strcmp(flow_run_get(run, key), want) == 0;
  }
  free(entries);
  return good;
}

/* Nothing of a scope that has ended stays in the state. */
static bool is_tidy(const flow_run *run) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  bool tidy = true;
  tap_must(ck_state_list(&entries, &count, ck_session_state(run->session), &err) == CK_OK, "%s",
           err.text);
  for (size_t i = 0; i < count; i++) {
    bool left = strncmp(entries[i].key, "branch.", 7) == 0 ||
                strncmp(entries[i].key, "position.main.", 14) == 0;
    if (left) tap_diag("left: %s", entries[i].key);
    tidy &= !left;
  }
  free(entries);
  return tidy;
}

static bool run_through(const char *path, int nodes, chance dice, uint64_t seed, int *runs) {
  flow_run run = {
      .answer = answer, .to = &dice, .random = seed + 1, .seldom = 25 * (int)(seed % 4)};
  flow_run_open(&run, path);
  for (int run_index = 0; run.result.status != CK_SESSION_COMPLETED && run_index < RUNS_MAX;
       run_index++)
    flow_run_once(&run, (int)draw(&dice, 25));
  bool good = run.result.status == CK_SESSION_COMPLETED && each_once(&run, nodes) && is_tidy(&run);
  if (!good) tap_diag("seed %d: %s, %d runs", (int)seed, run.result.text, run.runs);
  *runs += run.runs;
  flow_run_close(&run);
  return good;
}

int main(void) {
  chance shapes = {.state = 11};
  int wrong = 0, runs = 0, visits = 0;
  for (int graph = 0; graph < GRAPHS; graph++) {
    ck_buffer text = {0};
    int nodes;
    make_graph(&text, &nodes, &shapes);
    const char *path = flow_file(text.data);
    for (int n = 0; n < RUNS; n++) {
      bool good = run_through(path, nodes,
                              (chance){.state = (uint64_t)(graph * 100 + n + 1), .failures = 3 * n},
                              (uint64_t)n, &runs);
      if (!good) tap_diag("graph %d: %s", graph, text.data);
      wrong += !good;
      visits += nodes * TURNS;
    }
    ck_buffer_clear(&text);
  }
  tap_is_int(wrong, 0,
             "%d random graphs, %d runs, %d visits: each node runs once at each, and nothing is "
             "left of branches",
             GRAPHS, runs, visits);
  return tap_done();
}
