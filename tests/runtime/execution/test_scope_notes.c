/* test_scope_notes.c - the notes of agents whose scopes the flow has gone past stay in their
 * pads. */
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define SAYS(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"
/* On the way x an agent reads what is not to be trusted, and keeps notes in a scope and in one
 * below that; the flow fails. */
#define WAYS(notes)                                                                          \
  "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "     \
  "local function note(text) local notes = {} "                                              \
  "  for i, one in ipairs((ctx.scratch.ann or { notes = {} }).notes) do notes[i] = one end " \
  "  notes[#notes + 1] = text ctx.scratch.ann = { notes = notes } end "                      \
  "local function ask() return ctx.effect { kind = 'model', class = 'pure', "                \
  "  request = { model = 'm' } }.result end "                                                \
  "if ctx.task == 'told' then return ctx.scratch.ann.notes end "                             \
  "if ctx.task == 'inner' then "                                                             \
  "  ctx.effect { kind = 'exec', class = 'pure', source = 'web', request = {} } " notes      \
  "  ctx.boundary('step_complete', { position = { path = 'i' } }) ask() return 1 end "       \
  "if ctx.task == 'outer' then note('one') "                                                 \
  "  ctx.boundary('step_complete', { position = { path = 'o' } }) "                          \
  "  ctx.fork { { scope = 'inner', task = 'inner' } } return ctx.join { 'inner' } end "      \
  "if not ctx.position then note('base') "                                                   \
  "  ctx.boundary('step_complete', { position = { path = 'b' } }) end "                      \
  "local way = ask().content "                                                               \
  "if way == 'x' then ctx.fork { { scope = 'outer', task = 'outer' } } ask() "               \
  "  error('no', 0) end "

#define TWO "note('two') "

/* What the main scope has of untrusted sources, as its position keeps it. */
static void is_untrusted(fake_flow *s, const char *wanted, const char *name) {
  const ck_value *position = ck_session_get(s->session, "position.main");
  ck_bytes found = position ? ck_json_get(ck_value_bytes(position), "untrusted") : (ck_bytes){0};
  tap_ok(ck_bytes_equal(found, ck_bytes_text(wanted)), "%s: %.*s", name, (int)found.len,
         found.data ? found.data : "");
}

static void go_ways(fake_flow *s, const char *flow) {
  *s = (fake_flow){0};
  fake_flow_open(s, flow);
  fake_flow_start(s, "ways");
  fake_flow_ok(s, "model/1", SAYS("x"), 0);
  fake_flow_ok(s, "inner", "1", 0);
  tap_ok(fake_flow_is_running(s, "inner"), "both scopes have their notes");
  fake_flow_ok(s, "main/b/model/2", SAYS("x"), 0);
  ck_execution_stop(s->execution);
  fake_flow_deliver_cancelled(s);
  tap_is_int(s->result.status, CK_SESSION_FAILED, "the first way fails: %s", s->result.text);
  fake_flow_crash(s);
  fake_flow_resume(s, "ways");
  fake_flow_ok(s, "main/b/model/1", SAYS("y"), 0);
}

/* What both began with is there once. */
static void test_gone_past(void) {
  fake_flow s;
  go_ways(&s, WAYS(TWO) "note('mine') ctx.boundary('step_complete', { position = { path = 'w' } }) "
                        "return ctx.scratch.ann.notes end }");
  tap_is_text(fake_flow_result(&s, "ways"), "[\"base\",\"mine\",\"one\",\"two\"]",
              "the second comes to a boundary without those scopes: their notes are kept");
  is_untrusted(&s, "[\"web\"]", "and what they were made of");
  fake_flow_close(&s);
}

static void test_gone_at_the_end(void) {
  fake_flow s;
  go_ways(&s, WAYS(TWO) "return 1 end }");
  const ck_value *pad = ck_session_get(s.session, "scratch.ann");
  tap_is_text(pad ? ck_value_bytes(pad).data : "", "{\"notes\":[\"base\",\"one\",\"two\"]}",
              "the second ends without them: so they are");
  is_untrusted(&s, "[\"web\"]", "with what they were made of");
  fake_flow_close(&s);
}

static void test_forked_elsewhere(void) {
  fake_flow s;
  go_ways(&s, WAYS(TWO) "ctx.fork { { scope = 'outer', task = 'told', tag = 'other' } } "
                        "return ctx.join { 'outer' }.outer.result end }");
  tap_is_text(fake_flow_result(&s, "ways"), "[\"base\",\"one\",\"two\"]",
              "a scope of the same name, forked elsewhere, sees them");
  is_untrusted(&s, "[\"web\"]", "and who joins it has what they were made of");
  fake_flow_close(&s);
}

/* What was read there is gone with the scope that has noted nothing. */
static void test_nothing_noted(void) {
  fake_flow s;
  go_ways(&s, WAYS("") "ctx.boundary('step_complete', { position = { path = 'w' } }) "
                       "return ctx.scratch.ann.notes end }");
  tap_is_text(fake_flow_result(&s, "ways"), "[\"base\",\"one\"]", "a scope that noted nothing");
  is_untrusted(&s, "", "leaves nothing of what it has read");
  fake_flow_close(&s);
}

int main(void) {
  test_gone_past();
  test_gone_at_the_end();
  test_forked_elsewhere();
  test_nothing_noted();
  return tap_done();
}
