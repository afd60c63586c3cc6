/* test_many_scopes.c - any number of scopes: twice as many make twice the work, at a resume, too,
 * and none keeps another from its turn. */
/* link: -Wl,--wrap=strcmp,--wrap=ck_json_get,--wrap=ck_map_find,--wrap=ck_map_get */
/* link: -Wl,--wrap=ck_runner_advance,--wrap=ck_session_check */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/runner_private.h"
#include "tests/clock.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

/* ---- work, counted ---- */

static int64_t work;

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b) {
  work++;
  return __real_strcmp(a, b);
}

/* It reads the object up to the member. */
ck_bytes __real_ck_json_get(ck_bytes object, const char *name);
ck_bytes __wrap_ck_json_get(ck_bytes object, const char *name);
ck_bytes __wrap_ck_json_get(ck_bytes object, const char *name) {
  ck_bytes found = __real_ck_json_get(object, name);
  work += 1 + (int64_t)(found.len ? (size_t)(found.data - object.data) : object.len) / 4;
  return found;
}

ck_map_slot *__real_ck_map_find(const ck_map *self, const char *key);
ck_map_slot *__wrap_ck_map_find(const ck_map *self, const char *key);
ck_map_slot *__wrap_ck_map_find(const ck_map *self, const char *key) {
  work++;
  return __real_ck_map_find(self, key);
}

void *__real_ck_map_get(const ck_map *self, const char *key);
void *__wrap_ck_map_get(const ck_map *self, const char *key);
void *__wrap_ck_map_get(const ck_map *self, const char *key) {
  work++;
  return __real_ck_map_get(self, key);
}

ck_status __real_ck_session_check(ck_session *self, uint64_t ticket, ck_error *err);
ck_status __wrap_ck_session_check(ck_session *self, uint64_t ticket, ck_error *err);
ck_status __wrap_ck_session_check(ck_session *self, uint64_t ticket, ck_error *err) {
  work++;
  return __real_ck_session_check(self, ticket, err);
}

/* Every reading of the clock is later than a turn may last. */
static int64_t one_step_a_turn(void *to) { return *(int64_t *)to += 1000000; }

/* How long one that can move waits, in steps of others; the longest of all. */
enum { NAMED = 16 };
static struct {
  char scope[32];
  int64_t steps;
} waits[NAMED];
static int64_t steps, longest_wait;

static int64_t *wait_of(const ck_runner *runner) {
  size_t at = 0;
  while (at < NAMED - 1 && *waits[at].scope && __real_strcmp(waits[at].scope, runner->scope) != 0)
    at++;
  snprintf(waits[at].scope, sizeof waits[at].scope, "%s", runner->scope);
  return &waits[at].steps;
}

static void note_waits(const ck_runner *moving) {
  *wait_of(moving) = 0;
  for (const ck_runner *due = moving->execution->runners.due; due; due = due->place.next_due) {
    int64_t *waited = wait_of(due);
    if (++*waited > longest_wait) longest_wait = *waited;
  }
}

ck_status __real_ck_runner_advance(bool *moved, ck_runner *self, ck_error *err);
ck_status __wrap_ck_runner_advance(bool *moved, ck_runner *self, ck_error *err);
ck_status __wrap_ck_runner_advance(bool *moved, ck_runner *self, ck_error *err) {
  work++;
  steps++;
  if (self->execution->options.clock.mono_us == one_step_a_turn) note_waits(self);
  return __real_ck_runner_advance(moved, self, err);
}

/* ---- twice as many, twice the work ---- */

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define CHILD                                                                                 \
  "if ctx.task then "                                                                         \
  "  ctx.effect { kind = 'tool', class = 'pure', request = { name = 't', arguments = {} } } " \
  "  ctx.boundary('step_complete', { position = { path = 'b' } }) return ctx.task end "       \
  "local function fork(from, to) local names, forks = {}, {} "                                \
  "  for i = from, to do names[#names + 1] = 'c' .. i "                                       \
  "    forks[#forks + 1] = { scope = 'c' .. i, task = i } end "                               \
  "  ctx.fork(forks) return names end "

static const char joined[] = HEAD CHILD
    "local sum = 0 for _, one in pairs(ctx.join(fork(1, COUNT))) do sum = sum + one.result end "
    "return sum" TAIL;

/* 20 at a time: another one for each that ends. No boundary of main, so all are known to the end.
 */
static const char some_at_a_time[] = HEAD CHILD
    "local sum, at, names = 0, 20, fork(1, 20) "
    "while #names > 0 do "
    "  local ended, rest = ctx.join_any(names), {} "
    "  for _, name in ipairs(names) do "
    "    if ended[name] then sum = sum + ended[name].result else rest[#rest + 1] = name end end "
    "  if at < COUNT then at = at + 1 rest[#rest + 1] = fork(at, at)[1] end "
    "  names = rest end "
    "return sum" TAIL;

typedef struct measured {
  int64_t work, steps;
  bool right;
} measured;

/* Outcomes come one at a time, the last effect's first. */
static measured run(const char *flow, int count) {
  static fake_flow s;
  char text[2048], sum[32];
  int len = snprintf(text, sizeof text, "local COUNT = %d %s", count, flow);
  tap_must(len > 0 && (size_t)len < sizeof text, "the flow fits");
  s = (fake_flow){0};
  fake_flow_open(&s, text);
  work = steps = 0;
  fake_flow_start(&s, "many");
  while (s.status == CK_E_PENDING && s.count > 0)
    fake_flow_ok(&s, s.started[s.count - 1].key, "1", 0);
  measured it = {.work = work, .steps = steps};
  snprintf(sum, sizeof sum, "%d", count * (count + 1) / 2);
  it.right = s.status == CK_OK && strcmp(fake_flow_result(&s, "many"), sum) == 0;
  fake_flow_close(&s);
  return it;
}

enum { FEW = 100, MANY = 400 };

/* Four times as many scopes make less than eight times the work; what grows with the square makes
 * sixteen. The rest is room for commits that are durable sooner or later. */
static void check_linear(const char *flow, const char *what) {
  measured few = run(flow, FEW), many = run(flow, MANY);
  tap_ok(few.right && many.right, "%s: each result is joined once", what);
  bool linear = many.work * FEW < few.work * MANY * 2;
  tap_ok(linear, "%s: comparisons, look-ups and bytes read grow as the scopes do", what);
  if (!linear)
    tap_diag("%lld for %d, %lld for %d", (long long)few.work, FEW, (long long)many.work, MANY);
  bool stepped = many.steps * FEW < few.steps * MANY * 2;
  tap_ok(stepped, "%s: a coroutine is looked at only when it may move", what);
  if (!stepped)
    tap_diag("%lld steps for %d, %lld for %d", (long long)few.steps, FEW, (long long)many.steps,
             MANY);
}

/* ---- as many are open when it is resumed ---- */

/* Each writes, and is at its boundary; RUNS counts the processes. */
#define WRITER                                                                                \
  "if ctx.task then if not ctx.position then ctx.memory.seen = ctx.task "                     \
  "    ctx.boundary('step_complete', { position = { path = 'b' } }) end "                     \
  "  ctx.effect { kind = 'tool', class = 'pure', request = { name = 't', arguments = {} } } " \
  "  return ctx.task end "                                                                    \
  "RUNS = RUNS + 1 if RUNS > 1 then NAME = AGAIN end "                                        \
  "local names, forks = {}, {} "                                                              \
  "for i = 1, COUNT do names[i] = NAME .. i forks[i] = { scope = NAME .. i, task = i } end "

#define SUM                                                \
  "local sum = 0 for _, one in pairs(ctx.join(names)) do " \
  "  sum = sum + one.result "                              \
  "  if tonumber(one.writes['memory.seen']) ~= one.result then sum = -1 end end "

static const char reopened[] =
    HEAD WRITER "if not ctx.position then ctx.fork(forks) "
                "  ctx.boundary('step_complete', { position = { path = 'f' } }) end " SUM
                "ctx.boundary('step_complete', { position = { path = 'j' } }) return sum" TAIL;

static const char forked_again[] = HEAD WRITER "ctx.fork(forks) " SUM "return sum" TAIL;

/* The second process comes to a boundary without the forks of the first, and makes others. */
static const char put_away[] =
    HEAD WRITER "if RUNS > 1 then "
                "  ctx.boundary('step_complete', { position = { path = 'o' } }) end "
                "ctx.fork(forks) " SUM "return sum" TAIL;

static bool count_scopes(const fake_flow *s, int64_t *positions, int64_t *writes) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  *positions = *writes = 0;
  if (ck_state_list(&entries, &count, ck_session_state(s->session), &err) != CK_OK) return false;
  for (size_t i = 0; i < count; i++) {
    *positions += strncmp(entries[i].key, "position.main.c", 15) == 0;
    *writes += strncmp(entries[i].key, "branch.main.c", 13) == 0;
  }
  free(entries);
  return true;
}

/* `kept`: those of the first process are there when the second has begun. */
static measured resume(const char *flow, int count, bool kept) {
  static fake_flow s;
  char text[2048], sum[32];
  int64_t positions, writes;
  int len = snprintf(text, sizeof text, "local COUNT, AGAIN, RUNS, NAME = %d, '%s', 0, 'c' %s",
                     count, kept ? "c" : "d", flow);
  tap_must(len > 0 && (size_t)len < sizeof text, "the flow fits");
  s = (fake_flow){0};
  fake_flow_open(&s, text);
  fake_flow_start(&s, "many");
  fake_flow_turn(&s); /* as many commits as one waits for another */
  bool saved = count_scopes(&s, &positions, &writes) && positions == count && writes == count;
  fake_flow_crash(&s);
  work = steps = 0;
  fake_flow_resume(&s, "many");
  fake_flow_turn(&s);
  saved &= count_scopes(&s, &positions, &writes) && positions == (kept ? count : 0);
  while (s.status == CK_E_PENDING && s.count > 0)
    fake_flow_ok(&s, s.started[s.count - 1].key, "1", 0);
  measured it = {.work = work, .steps = steps};
  snprintf(sum, sizeof sum, "%d", count * (count + 1) / 2);
  it.right = saved && s.status == CK_OK && strcmp(fake_flow_result(&s, "many"), sum) == 0 &&
             count_scopes(&s, &positions, &writes) && positions == 0 && writes == 0;
  fake_flow_close(&s);
  return it;
}

/* Their names are sorted once: four times as many make less than five times the work. */
static void check_resume(const char *flow, bool kept, const char *what) {
  measured few = resume(flow, FEW, kept), many = resume(flow, MANY, kept);
  tap_ok(few.right && many.right, "%s: each result is joined once, and nothing of it stays", what);
  tap_ok(many.work <= few.work * 5, "%s: the work of a resume grows as the scopes do", what);
  tap_diag("%lld for %d, %lld for %d", (long long)few.work, FEW, (long long)many.work, MANY);
}

/* The second process comes to a boundary without the fork of a scope that had a child. */
static const char nested[] = HEAD
    "local function tool() return ctx.effect { kind = 'tool', class = 'pure', "
    "  request = { name = 't', arguments = {} } } end "
    "local function go_on(path) ctx.boundary('step_complete', { position = { path = path } }) end "
    "if ctx.task == 2 then ctx.memory.seen = 2 go_on('b') tool() return 2 end "
    "if ctx.task == 1 then ctx.fork { { scope = 'g', task = 2 } } go_on('b') "
    "  ctx.join { 'g' } return 1 end "
    "RUNS = RUNS + 1 if RUNS > 1 then go_on('o') tool() return 1 end "
    "ctx.fork { { scope = 'c', task = 1 } } ctx.join { 'c' } return 1" TAIL;

static void check_nested(void) {
  static fake_flow s;
  char text[2048];
  int64_t positions, writes;
  snprintf(text, sizeof text, "local RUNS = 0 %s", nested);
  s = (fake_flow){0};
  fake_flow_open(&s, text);
  fake_flow_start(&s, "nested");
  fake_flow_turn(&s);
  tap_must(count_scopes(&s, &positions, &writes), "a listing");
  tap_ok(positions == 2 && writes == 1, "a scope and the one below it are saved");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "nested");
  fake_flow_turn(&s);
  tap_must(count_scopes(&s, &positions, &writes), "a listing");
  tap_ok(positions == 0 && writes == 0, "put away, it takes with it what is saved below it");
  fake_flow_close(&s);
}

/* ---- whoever can move gets its turn ---- */

/* Three that never wait, and four that wait for their tools, however late each turn is. */
static const char busy[] =
    HEAD "if ctx.task == 0 then for i = 1, 30 do "
         "  ctx.boundary('step_complete', { position = { path = 'b' .. i } }) end return 1 end "
         "if ctx.task then ctx.effect { kind = 'tool', class = 'pure', request = { name = 't', "
         "  arguments = {} } } "
         "  ctx.boundary('step_complete', { position = { path = 'b' } }) return 1 end "
         "ctx.fork { { scope = 's1', task = 0 }, { scope = 's2', task = 0 }, { scope = 's3', "
         "  task = 0 }, { scope = 'w1', task = 1 }, { scope = 'w2', task = 1 }, { scope = 'w3', "
         "  task = 1 }, { scope = 'w4', task = 1 } } "
         "ctx.join { 's1', 's2', 's3', 'w1', 'w2', 'w3', 'w4' } return 1" TAIL;

enum { WAITING = 4, SCOPES = 8, ORDERS = 24, TURNS_MAX = 2000 };

static void turn(fake_flow *s) {
  ck_error err = CK_ERROR_INIT;
  s->status = ck_execution_turn(&s->result, s->execution, &err);
  if (s->status == CK_E_PENDING) s->status = ck_session_flush(s->session, CK_DURABLE_PROCESS, &err);
  tap_must(s->status == CK_OK, "a turn: %s", err.text);
}

/* The outcomes come in the order of this number, a few turns between them. */
static bool completes(int order) {
  static fake_flow s;
  int64_t now = 0;
  int left[WAITING] = {1, 2, 3, 4}, count = WAITING, turns = 0;
  s = (fake_flow){.clock = ck_clock_system()};
  s.clock.mono_us = one_step_a_turn;
  s.clock.self = &now;
  memset(waits, 0, sizeof waits);
  fake_flow_open(&s, busy);
  fake_flow_start(&s, "busy");
  for (; !s.result.status && turns < TURNS_MAX; turns++) {
    char name[16];
    int of = count ? order % count : 0;
    snprintf(name, sizeof name, "w%d@", left[of]);
    if (count && turns % 5 == 0 && fake_flow_is_running(&s, name)) {
      fake_flow_ok(&s, name, "1", 0);
      order /= count;
      memmove(&left[of], &left[of + 1], sizeof left[0] * (size_t)(--count - of));
    }
    if (!s.result.status) turn(&s);
  }
  bool completed = s.result.status == CK_SESSION_COMPLETED;
  fake_flow_close(&s);
  return completed;
}

static void check_turns(void) {
  int completed = 0;
  longest_wait = 0;
  for (int order = 0; order < ORDERS; order++) completed += completes(order);
  tap_is_int(completed, ORDERS,
             "a session whose turns are all late at once completes, in whatever order its scopes "
             "become ready");
  tap_ok(longest_wait > 0 && longest_wait < SCOPES,
         "and each that can move does so before any other has moved twice");
  tap_diag("the longest wait: %lld steps of %d scopes", (long long)longest_wait, SCOPES);
}

int main(void) {
  check_linear(joined, "all at once");
  check_linear(some_at_a_time, "20 at a time");
  check_resume(reopened, true, "opened again");
  check_resume(forked_again, true, "found by the fork");
  check_resume(put_away, false, "put away");
  check_nested();
  check_turns();
  return tap_done();
}
