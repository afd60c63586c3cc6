/* test_aside.c - a model is asked about messages that its request brings: about these alone, and
 * the conversation learns nothing of it; it is paid, replayed, and no turn. */
#include <string.h>

#include "core/runtime/session/session_private.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define ASK "ctx.effect { kind = 'model', agent = 'ann', class = 'pure', request = { model = 'm'"
#define MODEL ASK " } } "
#define ASIDE(messages) "local r = " ASK ", asked_by = 'shop', messages = " messages " } } "

static const char flow[] =
    HEAD "ctx.message('user', 'go') " MODEL ASIDE("{ { role = 'system', content = 'S' }, "
                                                  "{ role = 'user', content = 'U' } }") MODEL
    "return r.result.content .. ctx.conversation_length()" TAIL;
static const char says[] = "{\"role\":\"assistant\",\"content\":\"x\"}",
                  whispers[] = "{\"role\":\"assistant\",\"content\":\"w\"}";

/* What each request shows. */
static ck_status (*start)(ck_effect_run **, void *, const ck_effect *, ck_effect_sink *,
                          ck_error *);
static ck_buffer shown;

static ck_status watch(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  for (size_t i = 0; i < ck_conversation_count(effect->conversation); i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get(effect->conversation, i));
    ck_json_read_string(&shown, ck_json_get(message, "content"));
  }
  ck_buffer_append_char(&shown, ';');
  return start(out, to, effect, sink, err);
}

static void check_shown(const char *want, const char *what) {
  tap_is_text(shown.data ? shown.data : "", want, "%s", what);
  ck_buffer_reset(&shown);
}

static void open(fake_flow *s, const char *text) {
  fake_flow_open(s, text);
  start = s->driver.start;
  s->driver.start = watch;
  fake_flow_start(s, "s");
}

static void test_aside(void) {
  fake_flow s = {0};
  open(&s, flow);
  fake_flow_ok(&s, "main/start/model/1", says, 1);
  check_shown("go;SU;", "it is asked about its own messages alone");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  check_shown("SU;", "asked again when its outcome was lost");
  fake_flow_ok(&s, "main/start/model/2", whispers, 4);
  check_shown("gox;", "the conversation has neither its question nor its answer");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  check_shown("gox;", "it is replayed, and the conversation is the same");
  const ck_agent_spending *spent = ck_spending_get(&s.session->spent.agents, "ann");
  tap_is_int(spent ? spent->model_calls : 0, 2, "it counts as a call of its agent's");
  tap_is_int(spent ? spent->rounds : 0, 1, "and as no turn of it");
  fake_flow_ok(&s, "main/start/model/3", says, 1);
  tap_is_text(fake_flow_result(&s, "s"), "\"w3\"", "the flow has its answer: %s", s.result.text);
  fake_flow_close(&s);
}

static void check_refused(const char *text, const char *what) {
  fake_flow s = {0};
  open(&s, text);
  tap_is_int(s.result.status, CK_SESSION_FAILED, "%s: fails", what);
  tap_ok(strstr(s.result.text, "'messages' must be a list") != NULL, "%s: %s", what, s.result.text);
  check_shown("", "nobody is asked");
  fake_flow_close(&s);
}

int main(void) {
  test_aside();
  check_refused(HEAD ASIDE("'all'") TAIL, "a text");
  check_refused(HEAD ASIDE("ck.array {}") TAIL, "an empty list");
  check_refused(HEAD ASIDE("{ { role = 'user' } }") TAIL, "a message without content");
  check_refused(HEAD ASIDE("{ { content = 'U' } }") TAIL, "one without a role");
  check_refused(HEAD ASIDE("{ 'U' }") TAIL, "one that is a text");
  ck_buffer_clear(&shown);
  return tap_done();
}
