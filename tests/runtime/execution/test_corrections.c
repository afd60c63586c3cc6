/* test_corrections.c - what a person finds out about a call of which a model was told that nobody
 * knows: whoever answers the model's next request has it before them, once, and says so again after
 * a crash; another scope's model hears nothing. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define MODEL "ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } } "
/* A model calls, is told what came of it, and is asked twice more; beside it another scope's. */
static const char calls[] = HEAD
    "ctx.message('user', 'go') if ctx.task then " MODEL MODEL " return 1 end "
    "ctx.fork { { scope = 'b', task = 1 } } " MODEL
    "local r = ctx.effect { kind = 'tool', class = 'once', "
    "request = { name = 'pay', index = 0, call_id = 'c1', arguments = {} } } "
    "ctx.message { role = 'tool', call_id = 'c1', name = 'pay', content = r.status } " MODEL MODEL
    "ctx.join { 'b' } return 1" TAIL;
static const char calling[] = "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":"
                              "\"c1\",\"type\":\"function\",\"function\":{\"name\":\"pay\","
                              "\"arguments\":\"{}\"}}]}",
                  says[] = "{\"role\":\"assistant\",\"content\":\"x\"}",
                  beside[] = "main.b@start/start/model/1 0; ";

/* What each request shows, by the last letters of its key. */
static ck_status (*start)(ck_effect_run **, void *, const ck_effect *, ck_effect_sink *,
                          ck_error *);
static ck_buffer shown;

static int count_corrections(const ck_conversation *conversation) {
  int count = 0;
  for (size_t i = 0; i < ck_conversation_count(conversation); i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get(conversation, i));
    count += memmem(message.data, message.len, "it happened. Its result: 7", 26) != NULL;
  }
  return count;
}

static ck_status watch(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  if (effect->conversation)
    ck_buffer_append_format(&shown, "%s %d; ", effect->key,
                            count_corrections(effect->conversation));
  return start(out, to, effect, sink, err);
}

/* Which of two scopes asks first is not said. */
static void check_both(const char *want, const char *other, const char *what) {
  const char *text = ck_buffer_bytes(&shown).len ? shown.data : "";
  bool both =
      strlen(text) == strlen(want) + strlen(other) && strstr(text, want) && strstr(text, other);
  if (!both) tap_diag("asked: %s", text);
  tap_ok(both, "%s", what);
  ck_buffer_reset(&shown);
}

static void check_shown(const char *want, const char *what) {
  tap_is_text(shown.data ? shown.data : "", want, "%s", what);
  ck_buffer_reset(&shown);
}

static void find_out(fake_flow *s) {
  ck_error err = CK_ERROR_INIT;
  ck_value *seven;
  tap_must(ck_value_new(&seven, ck_bytes_text("7"), &err) == CK_OK, "value");
  tap_is_status(ck_session_resolve(s->runtime, "s", "main/start/tool/1", "done", seven, &err),
                CK_OK, &err, "a person finds out that it happened");
  ck_value_free(seven);
}

int main(void) {
  fake_flow s = {0};
  fake_flow_open(&s, calls);
  start = s.driver.start;
  s.driver.start = watch;
  fake_flow_start(&s, "s");
  fake_flow_ok(&s, "main/start/model/1", calling, 0);
  fake_flow_unknown(&s, "main/start/tool/1", CK_E_UNAVAILABLE, "cut off");
  tap_ok(fake_flow_is_running(&s, "main/start/model/2"), "the model is told, and goes on");
  ck_buffer_reset(&shown);
  fake_flow_crash(&s);
  find_out(&s);
  fake_flow_resume(&s, "s");
  check_both("main/start/model/2 1; ", beside,
             "the request that is made again has what was found out; another scope's has not");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  check_both("main/start/model/2 1; ", beside, "so it has after a crash: once");
  fake_flow_ok(&s, "main/start/model/2", says, 0);
  check_shown("main/start/model/3 1; ", "the next one has it no second time");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  check_both("main/start/model/3 1; ", beside,
             "nor behind a crash, when the one that was told is replayed");
  fake_flow_close(&s);
  ck_buffer_clear(&shown);
  return tap_done();
}
