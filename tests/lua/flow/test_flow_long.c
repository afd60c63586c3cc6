/* test_flow_long.c - a flow with a long conversation: what lies back is packed between its steps,
 * and models are sent all of it, wherever the run is killed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_run.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

enum { STEPS = 120, EVERY = 40, MODELS = STEPS / EVERY };

/* 40 KB each, no two alike. */
static const char text[] =
    "local flow = require 'ck.flow'\n"
    "return flow.custom { name = 'long', run = function(ctx)\n"
    "  local n = ctx.position and ctx.position.n or 0\n"
    "  while n < 120 do\n"
    "    n = n + 1\n"
    "    ctx.message('user', n .. ' ' .. (n * 7919 .. ' files. '):rep(3000))\n"
    "    if n % 40 == 0 then\n"
    "      ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } }\n"
    "    end\n"
    "    ctx.boundary('step_complete', { position = { path = 'n#' .. n, n = n } })\n"
    "  end\n"
    "end }\n";

typedef struct sent {
  int calls, wrong;
  size_t bytes;
} sent;

static bool is_expected(const ck_conversation *conversation, size_t index) {
  char begin[80];
  ck_bytes message = ck_value_bytes(ck_conversation_get_seen(conversation, index));
  size_t before = index / (EVERY + 1); /* answers */
  size_t n = index + 1 - before;
  if (index % (EVERY + 1) == EVERY)
    return ck_bytes_equal(message, ck_bytes_text("{\"role\":\"assistant\",\"content\":\"on\"}"));
  snprintf(begin, sizeof begin, "{\"role\":\"user\",\"content\":\"%zu %zu files. %zu", n, n * 7919,
           n * 7919);
  return message.len > 20000 && strncmp(message.data, begin, strlen(begin)) == 0;
}

/* The model: looks at each message, and hashes them all again. */
static const char *answer(void *to, const ck_effect *effect) {
  sent *self = to;
  const ck_conversation *got = effect->conversation;
  ck_conversation *fresh;
  size_t count = ck_conversation_count(got);
  self->calls++;
  self->wrong += count % (EVERY + 1) != EVERY;
  tap_must(ck_conversation_new(&fresh, NULL) == CK_OK, "a conversation");
  for (size_t i = 0; i < count; i++) {
    const ck_value *message = ck_conversation_get(got, i);
    self->wrong += !message || !is_expected(got, i);
    if (!message) continue;
    self->bytes += ck_value_bytes(message).len;
    tap_must(ck_conversation_append(fresh, message, NULL) == CK_OK, "a message");
  }
  ck_digest a = ck_conversation_digest(got), b = ck_conversation_digest(fresh);
  self->wrong += !ck_digest_equal(&a, &b);
  ck_conversation_free(fresh);
  return "{\"role\":\"assistant\",\"content\":\"on\"}";
}

static size_t loose(const flow_run *run) {
  ck_conversation *conversation;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_conversation(&conversation, run->session, "main", &err) == CK_OK, "%s",
           err.text);
  return ck_conversation_loose(conversation);
}

static flow_run open_run(sent *to) {
  flow_run run = {.answer = answer, .to = to};
  flow_run_open(&run, vm_script_file("long.lua", text));
  return run;
}

static void test_undisturbed(ck_buffer *messages) {
  sent seen = {0};
  flow_run run = open_run(&seen);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a long flow runs to its end: %s",
             run.result.text);
  tap_ok(seen.calls == MODELS && !seen.wrong, "each model is sent all messages, as they were");
  tap_ok(seen.bytes > 6 * CK_CONVERSATION_LOOSE, "they are long: %zu bytes", seen.bytes);
  tap_ok(loose(&run) < 2 * CK_CONVERSATION_LOOSE, "what lies back is packed: %zu bytes are not",
         loose(&run));
  ck_buffer_append_text(messages, flow_run_messages(&run, "main"));
  flow_run_close(&run);
}

static void test_killed(const ck_buffer *messages) {
  sent seen = {0};
  flow_run run = open_run(&seen);
  for (int moves = 20; !flow_run_once(&run, moves) && run.runs < 100; moves += 3) continue;
  tap_is_int(run.result.status, CK_SESSION_COMPLETED, "killed again and again it ends, too: %s",
             run.result.text);
  tap_ok(run.runs > 2 && !seen.wrong, "models were sent the same in all %d runs", run.runs);
  tap_ok(strcmp(flow_run_messages(&run, "main"), messages->data) == 0,
         "and the conversation is the same");
  flow_run_close(&run);
}

int main(void) {
  ck_buffer messages = {0};
  test_undisturbed(&messages);
  test_killed(&messages);
  ck_buffer_clear(&messages);
  return tap_done();
}
