/* trip.c - the agent's loop: ask, model, tools of its calls, model again. */
#include "tests/effect/trip.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* Reports failures only: it is checked thousands of times. */
#define must(...)                                            \
  do {                                                       \
    if (!(__VA_ARGS__)) tap_must(false, "%s", #__VA_ARGS__); \
  } while (0)

enum { CALLS_MAX = 16 };

static void say(trip *self, ck_value *message) {
  bool spoil = self->spoil_message == (int64_t)ck_conversation_count(self->conversation);
  if (spoil) {
    ck_bytes bytes = ck_value_bytes(message);
    ck_buffer changed = {0};
    ck_buffer_append(&changed, bytes.data, bytes.len - 1);
    ck_buffer_append_text(&changed, ",\"spoilt\":true}");
    ck_value_free(message);
    must(ck_value_from(&message, &changed, NULL) == CK_OK);
    ck_buffer_clear(&changed);
  }
  must(ck_conversation_append(self->conversation, message, NULL) == CK_OK);
  ck_value_free(message);
}

void trip_init(trip *self, ck_loop *loop, const ck_cassette *cassette) {
  *self = (trip){.cassette = cassette, .prompt = ck_cassette_prompt(cassette), .spoil_message = -1};
  drive_init(&self->drive, loop);
  must(ck_cassette_driver_new(&self->driver, cassette, loop, NULL) == CK_OK);
  must(ck_conversation_new(&self->conversation, NULL) == CK_OK);
}

void trip_clear(trip *self) {
  self->driver->free(self->driver->self);
  ck_conversation_free(self->conversation);
  drive_clear(&self->drive);
}

static bool take(trip *self, ck_effect *effect) {
  effect->scope = "main";
  effect->key = "main/agent#1/effect/1";
  effect->attempt = 1;
  effect->consumed = self->consumed;
  self->last = drive_effect(&self->drive, self->driver, effect, false);
  bool given = self->last->status == CK_OUTCOME_OK || self->last->status == CK_OUTCOME_ERROR;
  self->consumed += given;
  return given;
}

static bool ask(trip *self) {
  ck_effect effect = {.kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}")};
  if (!take(self, &effect)) return false;
  self->asks++;
  ck_value *message = NULL;
  must(ck_message_user(&message, ck_value_bytes(self->last->result), NULL) == CK_OK);
  say(self, message);
  return true;
}

/* Keeps the message's result; the conversation gets it later, in the order of the calls. */
static ck_value *call(trip *self, ck_bytes json, int64_t index) {
  ck_bytes function = ck_json_get(json, "function");
  ck_buffer request = {0};
  ck_json_writer w = {.out = &request};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "name", ck_json_get(function, "name"));
  ck_json_member_raw(&w, "call_id", ck_json_get(json, "id"));
  ck_json_member_int(&w, "index", index);
  ck_json_member_raw(&w, "arguments", ck_json_get(function, "arguments"));
  ck_json_end(&w, '}');
  ck_effect effect = {.kind = CK_EFFECT_TOOL, .request = ck_buffer_bytes(&request)};
  ck_value *message = NULL;
  if (take(self, &effect)) {
    char *id = ck_json_dup_string(ck_json_get(json, "id")),
         *name = ck_json_dup_string(ck_json_get(function, "name"));
    must(ck_message_tool(&message, id, name, ck_value_bytes(self->last->result), NULL) == CK_OK);
    free(id);
    free(name);
    self->tools++;
  }
  ck_buffer_clear(&request);
  return message;
}

static bool call_all(trip *self, ck_bytes calls) {
  ck_value *messages[CALLS_MAX] = {0};
  int64_t count = (int64_t)ck_json_count(calls);
  bool going = true;
  must(count <= CALLS_MAX);
  for (int64_t i = 0; i < count && going; i++) {
    int64_t index = self->backwards ? count - 1 - i : i;
    ck_json_iterator it = ck_json_iterate(calls);
    for (int64_t j = 0; j <= index; j++) must(ck_json_next(&it));
    messages[index] = call(self, it.value, index);
    going = messages[index] != NULL;
  }
  for (int64_t i = 0; i < count; i++) {
    if (going)
      say(self, messages[i]);
    else
      ck_value_free(messages[i]);
  }
  return going;
}

/* One answer of the model with the tools it asks for; `*called` tells whether there were any. */
static bool round_of(trip *self, bool *called) {
  ck_effect effect = {
      .kind = CK_EFFECT_MODEL, .request = ck_bytes_text("{}"), .conversation = self->conversation};
  if (!take(self, &effect)) return false;
  self->models++;
  self->cost_micros += self->last->cost_micros;
  self->input_tokens += self->last->input_tokens;
  self->output_tokens += self->last->output_tokens;
  ck_value *message = ck_value_share(self->last->result);
  say(self, ck_value_share(message));
  ck_bytes calls = ck_json_get(ck_value_bytes(message), "tool_calls");
  *called = ck_json_count(calls) > 0;
  bool going = !*called || call_all(self, calls);
  ck_value_free(message);
  return going;
}

void trip_run(trip *self) {
  if (self->prompt) {
    ck_value *message = NULL;
    must(ck_message_system(&message, ck_bytes_text(self->prompt), NULL) == CK_OK);
    say(self, message);
  }
  bool called = false;
  while ((called || ask(self)) && round_of(self, &called)) continue;
}
