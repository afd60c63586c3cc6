/* test_random_lives.c - random trees of scopes that die, pause, fail, go back and go on: whatever happens to them, they do what an
 * undisturbed run does, nothing twice, and every micro-dollar is known.
 *
 * What the outside world answers depends on the effect's key alone, so that an undisturbed run tells what each call must be asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution_private.h"
#include "core/runtime/resolve.h"
#include "core/runtime/session_private.h"
#include "lua/flow.h"
#include "tests/lua/flow_driver.h"
#include "tests/tap.h"

static const char program[] =
    "local flow = require 'ck.flow'\n"
    "local function lcg(s) return (s * 1103515245 + 12345) % 2147483648 end\n"
    "local function mix(a, text) text = tostring(text) for i = 1, #text do a = (a * 31 + text:byte(i)) % 2147483647 end return a end\n"
    "local function merge(ctx, acc, names, ended, strict)\n"
    "  for _, name in ipairs(names) do local one = ended[name]\n"
    "    if one.error and strict then error(one.error, 0) end\n"
    "    acc = mix(acc, name .. tostring(one.error and 'E' or one.result))\n"
    "    for key, text in pairs(one.writes) do ctx.put(key .. '.' .. name, text or nil) end end\n"
    "  return acc end\n"
    "local function join(ctx, names, any)\n"
    "  if not any then return ctx.join(names) end\n"
    "  local ended, rest = ctx.join_any(names), {}\n"
    "  for _, name in ipairs(names) do if not ended[name] then rest[#rest + 1] = name end end\n"
    "  if #rest > 0 then for name, one in pairs(ctx.join(rest)) do ended[name] = one end end\n"
    "  return ended end\n"
    "return flow.custom { name = 'x', run = function(ctx)\n"
    "  local t = ctx.task or { seed = ctx.input.seed, depth = 0, strict = ctx.input.strict }\n"
    "  local p = ctx.position or { i = 0, acc = 7 }\n"
    "  local i, acc, open = p.i, p.acc, p.open\n"
    "  local function ask(kind, class) local r = ctx.effect { kind = kind, class = class, request = { name = kind == 'tool' and 't' or nil, "
    "    call_id = kind == 'tool' and 'c' .. i or nil, acc = acc } }\n"
    "    acc = mix(acc, r.status .. (r.raw or '')) end\n"
    "  local function bound(kind) ctx.boundary(kind or 'step_complete', { position = { path = 's' .. i .. (open and 'o' or ''), i = i, acc = acc, open = open } }) end\n"
    "  if not ctx.position then ctx.message('user', 'go ' .. t.seed) end\n"
    "  while i < 3 + t.seed % 4 or open do\n"
    "    local s = lcg(lcg(t.seed + i * 7919))\n"
    "    local function r(k) s = lcg(s) return (s // 256) % k end\n"
    "    if open then\n"
    "      local names = {} for k = 1, #open do names[k] = open[k] end\n"
    "      local ended = join(ctx, names, r(2) == 0)\n"
    "      acc, open, i = merge(ctx, acc, names, ended, t.strict), nil, i + 1\n"
    "      bound()\n"
    "    else\n"
    "      local what = r(t.depth < 2 and 14 or 9)\n"
    "      if what == 0 then ask('tool', 'once')\n"
    "      elseif what == 1 or what == 2 then ctx.message('user', 'm' .. i) ask('model', 'pure')\n"
    "      elseif what == 3 then\n"
    "        local list = {} for k = 1, 2 + r(2) do local kind = r(3) == 0 and 'model' or 'tool'\n"
    "          list[k] = { kind = kind, class = kind == 'model' and 'pure' or r(2) == 0 and 'once' or 'idempotent',\n"
    "            request = { name = kind == 'tool' and 't' or nil, call_id = kind == 'tool' and 'b' .. k or nil, acc = acc, k = k } } end\n"
    "        for _, o in ipairs(ctx.effects(list)) do acc = mix(acc, o.status .. (o.raw or '')) end\n"
    "      elseif what == 4 then ask('sleep', 'pure')\n"
    "      elseif what == 5 then ask('ask', 'idempotent')\n"
    "      elseif what == 6 then ctx.pause('rest')\n"
    "      elseif what == 7 then ask('tool', 'idempotent')\n"
    "      elseif what == 8 then local mine = ctx.scope .. i ctx.memory.mine = mine ask('tool', 'pure')\n"
    "        if ctx.memory.mine ~= mine then error('another scope wrote here', 0) end\n"
    "      else local children = {} open = {}\n"
    "        for k = 1, 1 + r(3) do open[k] = 'k' .. k\n"
    "          children[k] = { scope = 'k' .. k, agent = r(2) == 0 and 'a' .. k or nil, tag = r(3) == 0 and 't' .. i or nil,\n"
    "            task = { seed = lcg(t.seed + i * 31 + k), depth = t.depth + 1, strict = t.strict } } end\n"
    "        ctx.fork(children)\n"
    "        if r(2) == 0 then bound() elseif r(2) == 0 then ask('tool', 'once') end\n"
    "      end\n"
    "      if not open then i = i + 1 if r(2) == 0 then bound(r(3) == 0 and 'tool_round' or nil) end end\n"
    "    end\n"
    "  end\n"
    "  return acc\n"
    "end }\n";

enum { RUNNING_MAX = 128, RESERVE = 1000, LIVES_MAX = 400 };

typedef struct running {
  ck_effect_sink *sink;
  ck_effect_kind kind;
  char key[CK_STATE_KEY_MAX];
  bool cancelled;
} running;

/* What was seen of one key. */
typedef struct fact {
  char key[CK_STATE_KEY_MAX];
  bool once, model, open;
  int times;       /* begun, and not known to have failed */
  uint64_t asked;  /* of an undisturbed run: what it was asked with */
  uint32_t paid_in; /* attempt */
} fact;

typedef struct world {
  ck_runtime *runtime;
  ck_session *session;
  ck_execution *execution;
  ck_flow_engine *engine;
  ck_flow *flow;
  ck_effect_driver driver;
  const ck_effect_driver *drivers[2];
  ck_policy_engine policies;
  ck_profile *profile; /* with a limit that is raised whenever it is met; NULL: none */
  running list[RUNNING_MAX];
  size_t count;
  fact *facts;
  size_t fact_count;
  const struct world *whole; /* the undisturbed run; NULL: this is it */
  uint64_t random;
  bool calm;
  int64_t paid, lost;
  int twice, paid_twice, other, over_limit, lives, crashes, failures, rewinds, doubts;
  char id[32], result[256], why[512];
  ck_execution_result ending;
  ck_status status;
} world;

static uint32_t draw(world *self, uint32_t below) {
  self->random = self->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(self->random >> 33) % below;
}

static uint64_t hash(const void *data, size_t len, uint64_t h) {
  for (size_t i = 0; i < len; i++) h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  return h;
}

static fact *find(const world *self, const char *key) {
  for (size_t i = 0; i < self->fact_count; i++)
    if (strcmp(self->facts[i].key, key) == 0) return &self->facts[i];
  return NULL;
}

static fact *note(world *self, const char *key) {
  fact *found = find(self, key);
  if (found) return found;
  self->facts = reallocarray(self->facts, self->fact_count + 1, sizeof *self->facts);
  found = &self->facts[self->fact_count++];
  *found = (fact){0};
  snprintf(found->key, sizeof found->key, "%s", key);
  return found;
}

/* ---- the driver ---- */

static bool serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

static int64_t reserve(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_MODEL ? RESERVE : 0;
}

static uint64_t what_is_asked(const ck_effect *effect) {
  uint64_t h = hash(effect->request.data, effect->request.len, 14695981039346656037u);
  if (!effect->conversation) return h;
  ck_digest digest = ck_conversation_digest(effect->conversation);
  return hash(digest.bytes, sizeof digest.bytes, h);
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink, ck_error *err) {
  world *self = to;
  (void)err;
  tap_must(self->count < RUNNING_MAX, "not too much at once");
  fact *known = note(self, effect->key);
  known->once = effect->class == CK_EFFECT_ONCE;
  known->model = effect->kind == CK_EFFECT_MODEL;
  known->asked = what_is_asked(effect);
  if (++known->times > 1 && known->once) {
    self->twice++;
    snprintf(self->why, sizeof self->why, "twice: %.400s", effect->key);
  }
  if (known->model && known->paid_in == effect->attempt) {
    self->paid_twice++;
    snprintf(self->why, sizeof self->why, "paid twice: %.400s", effect->key);
  }
  int64_t under_way = known->model ? RESERVE : 0;
  for (size_t i = 0; i < self->count; i++) under_way += self->list[i].kind == CK_EFFECT_MODEL ? RESERVE : 0;
  bool pauses = self->profile && self->profile->on_limit == CK_LIMIT_PAUSE;
  if (pauses && known->model && ck_session_totals(self->session)->cost_micros + under_way > self->profile->budget_micros) {
    self->over_limit++;
    snprintf(self->why, sizeof self->why, "over the limit: %.400s", effect->key);
  }
  const fact *must = self->whole ? find(self->whole, effect->key) : NULL;
  if (self->whole && (!must || must->asked != known->asked)) {
    self->other++;
    snprintf(self->why, sizeof self->why, "%s: %.400s", must ? "asked otherwise" : "not asked before", effect->key);
  }
  known->open = true;
  self->list[self->count] = (running){.sink = sink, .kind = effect->kind};
  snprintf(self->list[self->count++].key, CK_STATE_KEY_MAX, "%s", effect->key);
  *out = (ck_effect_run *)(void *)sink;
  return CK_OK;
}

static void cancel(void *to, ck_effect_run *run) {
  world *self = to;
  for (size_t i = 0; i < self->count; i++)
    if ((void *)self->list[i].sink == (void *)run) self->list[i].cancelled = true;
}

static void answer(char out[128], const char *key, ck_effect_kind kind) {
  unsigned long long h = hash(key, strlen(key), 5) % 100000;
  if (kind == CK_EFFECT_MODEL) snprintf(out, 128, "{\"role\":\"assistant\",\"content\":\"%llu\"}", h);
  else snprintf(out, 128, "\"%llu\"", h);
}

static ck_value *value_of(const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  return value;
}

static void turn(world *self) {
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < 4; i++) {
    size_t before = self->count;
    self->status = ck_execution_turn(&self->ending, self->execution, &err);
    if (self->status != CK_E_PENDING) break;
    if (!self->calm && draw(self, 3) == 0) return; /* what is queued is on its way */
    if (ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) != CK_OK) break;
    if (self->count != before) i = 0;
  }
  if (self->status != CK_OK && self->status != CK_E_PENDING) snprintf(self->why, sizeof self->why, "turn: %.400s", err.text);
}

static void deliver(world *self, size_t index, ck_status failure) {
  running taken = self->list[index];
  char json[128];
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  fact *known = find(self, taken.key);
  memmove(&self->list[index], &self->list[index + 1], (--self->count - index) * sizeof taken);
  answer(json, taken.key, taken.kind);
  ck_value *result = failure == CK_OK ? value_of(json) : NULL;
  tap_must(ck_outcome_new(&outcome, failure == CK_OK ? CK_OUTCOME_OK : CK_OUTCOME_FAILED, result, failure == CK_OK ? NULL : "no", &err) == CK_OK, "o");
  outcome->error_status = failure;
  ck_value_free(result);
  if (failure == CK_OK && known->model) {
    outcome->cost_micros = 1 + (int64_t)draw(self, 900);
    self->paid += outcome->cost_micros;
    known->paid_in = ck_session_attempt(self->session);
  }
  if (failure != CK_OK && failure != CK_E_INTERRUPTED) known->times = 0;
  if (failure == CK_E_INTERRUPTED && known->model) self->lost++;
  known->open = failure == CK_E_INTERRUPTED;
  taken.sink->done(taken.sink, outcome);
}

/* ---- lives ---- */

static ck_status sometimes(ck_decision *out, void *to, const ck_boundary *at, ck_error *err) {
  world *self = to;
  (void)at, (void)err;
  *out = (ck_decision){.take = self->calm || draw(self, 2), .sync = self->calm || draw(self, 2)};
  return CK_OK;
}

static void execute(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_execution_options options = {.session = self->session, .engine = self->engine, .flow = self->flow, .drivers = self->drivers,
                                  .clock = self->runtime->clock, .waker = self->runtime->waker};
  self->count = 0;
  self->lives++;
  tap_must(ck_execution_open(&self->execution, &options, &err) == CK_OK, "execution: %s", err.text);
  turn(self);
}

/* What was begun and not delivered may have happened. */
static void crash(world *self) {
  const ck_execution *execution = self->execution;
  for (size_t r = 0; r < execution->runner_count; r++)
    for (size_t i = 0; i < execution->runners[r]->call_count; i++) {
      const ck_call *call = execution->runners[r]->calls[i];
      self->lost += call->effect.kind == CK_EFFECT_MODEL && (call->phase == CK_CALL_INTENT || call->phase == CK_CALL_DRIVER);
    }
  if (draw(self, 2) == 0) { /* what was not queued is gone */
    for (size_t i = 0; i < self->session->pending_count; i++) ck_event_free(self->session->pending[i]);
    self->session->pending_count = 0;
  }
  ck_execution_close(self->execution);
  ck_session_close(self->session);
  self->execution = NULL;
  self->session = NULL;
}

typedef struct keys {
  char list[64][CK_STATE_KEY_MAX];
  size_t count;
} keys;

static void keep_key(void *to, const char *key, const char *kind, const char *class, ck_bytes request) {
  keys *self = to;
  (void)kind, (void)class, (void)request;
  if (self->count < 64) snprintf(self->list[self->count++], CK_STATE_KEY_MAX, "%s", key);
}

/* A person says what they know: of a doubt whether it happened, to a question its answer. */
static void say(world *self) {
  keys *all = calloc(1, sizeof *all);
  ck_error err = CK_ERROR_INIT;
  char json[128];
  tap_must(ck_session_list_doubts(self->runtime, self->id, keep_key, all, &err) == CK_OK, "doubts: %s", err.text);
  for (size_t i = 0; i < all->count; i++) {
    bool happened = draw(self, 2) == 0;
    fact *known = note(self, all->list[i]);
    answer(json, all->list[i], CK_EFFECT_TOOL);
    ck_value *value = value_of(json);
    if (!happened) known->times = 0;
    self->doubts++;
    tap_must(ck_session_resolve(self->runtime, self->id, all->list[i], happened ? "done" : "retry", happened ? value : NULL, &err) == CK_OK, "resolve: %s", err.text);
    ck_value_free(value);
  }
  all->count = 0;
  tap_must(ck_session_list_questions(self->runtime, self->id, keep_key, all, &err) == CK_OK, "questions: %s", err.text);
  for (size_t i = 0; i < all->count; i++) {
    if (self->calm || draw(self, 3) == 0) continue;
    answer(json, all->list[i], CK_EFFECT_ASK);
    if (strstr(all->list[i], "/limit/")) snprintf(json, sizeof json, "\"%.6f\"", (double)(self->paid + (self->lost + 1 + draw(self, 4)) * RESERVE) / 1e6);
    ck_value *value = value_of(json);
    err = (ck_error)CK_ERROR_INIT; /* a question behind the checkpoint is asked once more before it can be answered */
    ck_status status = ck_session_answer(self->runtime, self->id, all->list[i], value, &err);
    tap_must(status == CK_OK || status == CK_E_REFUSED, "answer: %s", err.text);
    ck_value_free(value);
  }
  free(all);
}

typedef struct picking {
  world *world;
  char id[CK_ID_SIZE];
  uint32_t seen;
} picking;

static bool pick(void *to, const ck_checkpoint_info *checkpoint) {
  picking *self = to;
  if (checkpoint->resumable && draw(self->world, ++self->seen) == 0) snprintf(self->id, sizeof self->id, "%s", checkpoint->id);
  return true;
}

static bool resume(world *self, bool rewinds) {
  ck_error err = CK_ERROR_INIT;
  picking p = {.world = self};
  ck_resume_options options = {.policies = &self->policies, .profile = self->profile, .retry = true};
  ck_head head;
  tap_must(ck_store_get_head(&head, self->runtime->store, self->id, &err) == CK_OK, "head: %s", err.text);
  if (rewinds && draw(self, 6) == 0)
    tap_must(ck_store_list_checkpoints(self->runtime->store, head.session.no, pick, &p, &err) == CK_OK, "list: %s", err.text);
  ck_head_clear(&head);
  if (self->profile && self->profile->on_limit == CK_LIMIT_PAUSE)
    self->profile->budget_micros = self->paid + (self->lost + 1 + draw(self, 4)) * RESERVE;
  if (*p.id) options.checkpoint = p.id, self->rewinds++;
  ck_status status = ck_session_resume(&self->session, self->runtime, self->id, &options, &err);
  if (status != CK_OK) {
    snprintf(self->why, sizeof self->why, "resume: %.400s", err.text);
    return false;
  }
  execute(self);
  return true;
}

static ck_status failure_for(world *self, const running *one, bool fails) {
  static const ck_status causes[] = {CK_E_UNAVAILABLE, CK_E_FAILED, CK_E_FAILED};
  if (self->calm) return CK_OK;
  if (one->cancelled && draw(self, 3)) return CK_E_INTERRUPTED;
  if (one->kind == CK_EFFECT_ASK && draw(self, 2)) return CK_E_WAITING;
  if (!fails || draw(self, 25)) return CK_OK;
  self->failures++;
  return causes[draw(self, 3)];
}

/* One thing happens; false when nothing can. */
static bool move(world *self, bool fails) {
  ck_error err = CK_ERROR_INIT;
  uint32_t what = self->calm ? 50 : draw(self, 100);
  if (what < 4) {
    ck_execution_pause(self->execution, NULL);
  } else if (what < 6 && ck_execution_is_ending(self->execution)) {
    ck_execution_stop(self->execution);
  } else if (self->count > 0) {
    size_t index = self->calm ? 0 : draw(self, (uint32_t)self->count);
    deliver(self, index, failure_for(self, &self->list[index], fails));
  }
  bool idle = self->count == 0;
  if (idle && ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) != CK_OK) return false;
  turn(self);
  return true;
}

typedef struct mode {
  const char *name;
  bool strict, fails, rewinds, limited, same; /* same: it must ask what the undisturbed run asks */
} mode;

static bool keep_result(void *to, const ck_event *event) {
  ck_bytes result = ck_json_get(ck_value_bytes(event->body), "result");
  snprintf(to, 256, "%.*s", (int)result.len, result.data ? result.data : "");
  return true;
}

static void read_result(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = ck_session_get_record(self->session)->no, .kinds = 1ull << CK_EVENT_SESSION_COMPLETED};
  tap_must(ck_store_read_events(self->runtime->store, &query, keep_result, self->result, &err) == CK_OK, "%s", err.text);
}

static int count_keys(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  int found = 0;
  tap_must(ck_state_list(&entries, &count, ck_session_state(self->session), &err) == CK_OK, "%s", err.text);
  for (size_t i = 0; i < count; i++) {
    bool left = strncmp(entries[i].key, "branch.", 7) == 0 ||
                (strncmp(entries[i].key, "position.", 9) == 0 && strcmp(entries[i].key, "position.main") != 0);
    if (left) snprintf(self->why, sizeof self->why, "left: %.400s", entries[i].key);
    found += left;
  }
  free(entries);
  return found;
}

static void begin(world *self, const char *id, unsigned seed, bool strict) {
  ck_error err = CK_ERROR_INIT;
  char input[128];
  snprintf(input, sizeof input, "{\"input\":{\"seed\":%u,\"strict\":%s}}", seed, strict ? "true" : "false");
  ck_value *given = value_of(input);
  self->driver = (ck_effect_driver){.name = "hand", .self = self, .serves = serves, .start = start, .cancel = cancel, .reserve = reserve};
  self->drivers[0] = &self->driver;
  self->policies = (ck_policy_engine){.self = self, .checkpoint = sometimes};
  snprintf(self->id, sizeof self->id, "%s", id);
  ck_session_options options = {.id = id, .input = given, .policies = &self->policies, .profile = self->profile};
  tap_must(ck_session_start(&self->session, self->runtime, &options, &err) == CK_OK, "start: %s", err.text);
  ck_value_free(given);
  execute(self);
}

/* A line of what went wrong; "" when nothing did. */
static const char *live(world *self, const mode *m) {
  for (int moves = 0; self->lives < LIVES_MAX; moves++) {
    if (self->status == CK_OK && self->ending.status == CK_SESSION_COMPLETED) return "";
    if (self->status != CK_OK && self->status != CK_E_PENDING) return "error";
    if (moves > 20000) return "hangs";
    bool over = self->status == CK_OK, dies = !over && !self->calm && draw(self, 12) == 0;
    if (!over && !dies) {
      if (!move(self, m->fails)) return "flush";
      continue;
    }
    self->crashes += dies;
    crash(self);
    say(self);
    if (!resume(self, m->rewinds)) return "cannot be resumed";
  }
  snprintf(self->why, sizeof self->why, "%.400s", self->ending.text);
  return "does not end";
}

static const char *check(world *self, const mode *m, const world *whole) {
  read_result(self);
  int64_t known = ck_session_totals(self->session)->cost_micros, most = self->paid + self->lost * RESERVE;
  if (self->twice) return "a once effect ran twice";
  if (self->paid_twice) return "a call was paid twice";
  if (m->same && self->other) return "it was asked something else";
  if (m->same && strcmp(self->result, whole->result) != 0) return "another result";
  if (self->over_limit) return "a limit was passed";
  if (count_keys(self)) return "keys are left";
  bool exact = !m->fails && !m->rewinds;
  if (known < self->paid || known > most || (exact && known != most)) {
    snprintf(self->why, sizeof self->why, "%lld known, %lld paid, %lld lost", (long long)known, (long long)self->paid, (long long)self->lost);
    return "money";
  }
  return "";
}

static void clear(world *self) {
  ck_execution_close(self->execution);
  ck_session_close(self->session);
  free(self->facts);
}

static void open_all(world *base, const char *store) {
  ck_error err = CK_ERROR_INIT;
  ck_clock clock = ck_clock_system();
  ck_status status = ck_runtime_open(&base->runtime, store, &(ck_store_options){.create = true}, &clock, &err);
  if (status == CK_OK) status = ck_flow_engine_new(&base->engine, NULL, &err);
  static const char *path;
  if (!path) path = flow_file(program);
  if (status == CK_OK) status = base->engine->load(&base->flow, base->engine->self, path, &err);
  tap_must(status == CK_OK, "open: %s", err.text);
}

static void test_mode(const mode *m, const char *store, unsigned first, unsigned rounds) {
  int wrong = 0, lives = 0, crashes = 0, failures = 0, rewinds = 0, doubts = 0;
  size_t effects = 0;
  static int sessions;
  for (unsigned round = first; round < first + rounds; round++) {
    world base = {0};
    char id[32];
    if (store[0] == 's') {
      static const char *database;
      char name[128];
      if (!database) database = tap_tmpfile("lives.db");
      snprintf(name, sizeof name, "sqlite:%s", database);
      open_all(&base, name);
    } else {
      open_all(&base, store);
    }
    world whole = base, one = base;
    whole.calm = true;
    snprintf(id, sizeof id, "whole-%u-%d", round, ++sessions);
    begin(&whole, id, round * 2654435761u % 1000003u, m->strict);
    const char *problem = live(&whole, m);
    if (!*problem) read_result(&whole);
    one.random = round;
    one.whole = m->same ? &whole : NULL;
    snprintf(id, sizeof id, "one-%u-%d", round, sessions);
    if (m->limited) {
      ck_error err = CK_ERROR_INIT;
      tap_must(ck_profile_new(&one.profile, "limits", &err) == CK_OK, "profile");
      one.profile->budget_micros = 2 * RESERVE;
      one.profile->on_limit = round % 2 ? CK_LIMIT_ASK : CK_LIMIT_PAUSE;
    }
    if (!*problem) {
      begin(&one, id, round * 2654435761u % 1000003u, m->strict);
      problem = live(&one, m);
    }
    if (!*problem) problem = check(&one, m, &whole);
    const world *bad = one.lives ? &one : &whole;
    if (*problem) tap_diag("%s, round %u: %s %s (%s) life %d: %s", m->name, round, one.lives ? "" : "undisturbed", problem, bad->why, bad->lives, bad->ending.text);
    wrong += *problem != 0;
    lives += one.lives, crashes += one.crashes, failures += one.failures, rewinds += one.rewinds, doubts += one.doubts;
    effects += whole.fact_count;
    clear(&one);
    ck_profile_free(one.profile);
    clear(&whole);
    base.engine->unload(base.flow);
    base.engine->free(base.engine->self);
    ck_runtime_close(base.runtime);
  }
  tap_is_int(wrong, 0, "%s, %s: %u sessions, %zu effects, %d lives, %d crashes, %d failures, %d steps back, %d doubts", m->name, store, rounds,
             effects, lives, crashes, failures, rewinds, doubts);
}

int main(int argc, char **argv) {
  static const mode modes[] = {
      {.name = "crashes", .strict = true, .same = true},
      {.name = "steps back", .strict = true, .rewinds = true, .same = true},
      {.name = "failures", .strict = true, .fails = true, .same = true},
      {.name = "failures and steps back", .strict = true, .fails = true, .rewinds = true, .same = true},
  };
  unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 15, first = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    test_mode(&modes[i], "memory:", first, rounds);
    test_mode(&modes[i], "sqlite:", first + rounds, rounds / 5);
  }
  return tap_done();
}
