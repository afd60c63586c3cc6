/* random_runs.c - the random flow, and the outside behind random_runs.h. */
#include "tests/runtime/random_runs/random_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

const char random_runs_program[] =
    "local flow = require 'ck.flow'\n"
    "local function lcg(s) return (s * 1103515245 + 12345) % 2147483648 end\n"
    "local function mix(a, text) text = tostring(text) for i = 1, #text do a = (a * 31 + "
    "text:byte(i)) % 2147483647 end return a end\n"
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
    "  local function ask(kind, class) local r = ctx.effect { kind = kind, class = class, request "
    "= { name = kind == 'tool' and 't' or nil, "
    "    call_id = kind == 'tool' and 'c' .. i or nil, acc = acc } }\n"
    "    acc = mix(acc, r.status .. (r.raw or '')) end\n"
    "  local function bound(kind) ctx.boundary(kind or 'step_complete', { position = { path = 's' "
    ".. i .. (open and 'o' or ''), i = i, acc = acc, open = open } }) end\n"
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
    "          list[k] = { kind = kind, class = kind == 'model' and 'pure' or r(2) == 0 and 'once' "
    "or 'idempotent',\n"
    "            request = { name = kind == 'tool' and 't' or nil, call_id = kind == 'tool' and "
    "'b' .. k or nil, acc = acc, k = k } } end\n"
    "        for _, o in ipairs(ctx.effects(list)) do acc = mix(acc, o.status .. (o.raw or '')) "
    "end\n"
    "      elseif what == 4 then ask('sleep', 'pure')\n"
    "      elseif what == 5 then ask('ask', 'idempotent')\n"
    "      elseif what == 6 then ctx.pause('rest')\n"
    "      elseif what == 7 then ask('tool', 'idempotent')\n"
    "      elseif what == 8 then local mine = ctx.scope .. i ctx.memory.mine = mine ask('tool', "
    "'pure')\n"
    "        if ctx.memory.mine ~= mine then error('another scope wrote here', 0) end\n"
    "      else local children = {} open = {}\n"
    "        for k = 1, 1 + r(3) do open[k] = 'k' .. k\n"
    "          children[k] = { scope = 'k' .. k, agent = r(2) == 0 and 'a' .. k or nil, tag = r(3) "
    "== 0 and 't' .. i or nil,\n"
    "            task = { seed = lcg(t.seed + i * 31 + k), depth = t.depth + 1, strict = t.strict "
    "} } end\n"
    "        ctx.fork(children)\n"
    "        if r(2) == 0 then bound() elseif r(2) == 0 then ask('tool', 'once') end\n"
    "      end\n"
    "      if not open then i = i + 1 if r(2) == 0 then bound(r(3) == 0 and 'tool_round' or nil) "
    "end end\n"
    "    end\n"
    "  end\n"
    "  return acc\n"
    "end }\n";

uint32_t random_runs_draw(random_run *self, uint32_t below) {
  self->random = self->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(self->random >> 33) % below;
}

static uint64_t hash(const void *data, size_t len, uint64_t h) {
  for (size_t i = 0; i < len; i++) h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  return h;
}

static fact *find(const random_run *self, const char *key) {
  for (size_t i = 0; i < self->fact_count; i++)
    if (strcmp(self->facts[i].key, key) == 0) return &self->facts[i];
  return NULL;
}

fact *random_runs_note(random_run *self, const char *key) {
  fact *found = find(self, key);
  if (found) return found;
  self->facts = reallocarray(self->facts, self->fact_count + 1, sizeof *self->facts);
  found = &self->facts[self->fact_count++];
  *found = (fact){0};
  snprintf(found->key, sizeof found->key, "%s", key);
  return found;
}

/* ---- the driver ---- */

bool random_runs_serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

int64_t random_runs_reserve(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_MODEL ? RESERVE : 0;
}

static uint64_t what_is_asked(const ck_effect *effect) {
  uint64_t h = hash(effect->request.data, effect->request.len, 14695981039346656037u);
  if (!effect->conversation) return h;
  ck_digest digest = ck_conversation_digest(effect->conversation);
  return hash(digest.bytes, sizeof digest.bytes, h);
}

ck_status random_runs_start(ck_effect_run **out, void *to, const ck_effect *effect,
                            ck_effect_sink *sink, ck_error *err) {
  random_run *self = to;
  (void)err;
  tap_must(self->count < RUNNING_MAX, "not too much at once");
  fact *known = random_runs_note(self, effect->key);
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
  for (size_t i = 0; i < self->count; i++)
    under_way += self->list[i].kind == CK_EFFECT_MODEL ? RESERVE : 0;
  bool pauses = self->profile && self->profile->on_limit == CK_LIMIT_PAUSE;
  if (pauses && known->model &&
      ck_session_totals(self->session)->cost_micros + under_way > self->profile->budget_micros) {
    self->over_limit++;
    snprintf(self->why, sizeof self->why, "over the limit: %.400s", effect->key);
  }
  const fact *must = self->whole ? find(self->whole, effect->key) : NULL;
  if (self->whole && (!must || must->asked != known->asked)) {
    self->other++;
    snprintf(self->why, sizeof self->why, "%s: %.400s",
             must ? "asked otherwise" : "not asked before", effect->key);
  }
  known->open = true;
  self->list[self->count] = (running){.sink = sink, .kind = effect->kind};
  snprintf(self->list[self->count++].key, CK_STATE_KEY_MAX, "%s", effect->key);
  *out = (ck_effect_run *)(void *)sink;
  return CK_OK;
}

void random_runs_cancel(void *to, ck_effect_run *run) {
  random_run *self = to;
  for (size_t i = 0; i < self->count; i++)
    if ((void *)self->list[i].sink == (void *)run) self->list[i].cancelled = true;
}

void random_runs_answer(char out[128], const char *key, ck_effect_kind kind) {
  unsigned long long h = hash(key, strlen(key), 5) % 100000;
  if (kind == CK_EFFECT_MODEL)
    snprintf(out, 128, "{\"role\":\"assistant\",\"content\":\"%llu\"}", h);
  else
    snprintf(out, 128, "\"%llu\"", h);
}

ck_value *random_runs_value_of(const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  return value;
}

void random_runs_turn(random_run *self) {
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < 4; i++) {
    size_t before = self->count;
    self->status = ck_execution_turn(&self->ending, self->execution, &err);
    if (self->status != CK_E_PENDING) break;
    if (!self->calm && random_runs_draw(self, 3) == 0) return; /* what is queued is on its way */
    if (ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) != CK_OK) break;
    if (self->count != before) i = 0;
  }
  if (self->status != CK_OK && self->status != CK_E_PENDING)
    snprintf(self->why, sizeof self->why, "turn: %.400s", err.text);
}

void random_runs_deliver(random_run *self, size_t index, ck_status failure) {
  running taken = self->list[index];
  char json[128];
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  fact *known = find(self, taken.key);
  memmove(&self->list[index], &self->list[index + 1], (--self->count - index) * sizeof taken);
  random_runs_answer(json, taken.key, taken.kind);
  ck_value *result = failure == CK_OK ? random_runs_value_of(json) : NULL;
  tap_must(ck_outcome_new(&outcome, failure == CK_OK ? CK_OUTCOME_OK : CK_OUTCOME_FAILED, result,
                          failure == CK_OK ? NULL : "no", &err) == CK_OK,
           "o");
  outcome->error_status = failure;
  ck_value_free(result);
  if (failure == CK_OK && known->model) {
    outcome->cost_micros = 1 + (int64_t)random_runs_draw(self, 900);
    self->paid += outcome->cost_micros;
    known->paid_in = ck_session_attempt(self->session);
  }
  if (failure != CK_OK && failure != CK_E_INTERRUPTED) known->times = 0;
  if (failure == CK_E_INTERRUPTED && known->model) self->lost++;
  known->open = failure == CK_E_INTERRUPTED;
  taken.sink->done(taken.sink, outcome);
}
