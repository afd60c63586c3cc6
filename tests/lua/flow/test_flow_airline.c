/* test_flow_airline.c - examples/airline/flow.lua asks for exactly what 50 recorded conversations
 * hold, from anywhere in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

static const char recording[] = "tau_bench/gpt-4o-airline.task00-24.trial0-1.json";

/* One recorded conversation as the lists that the driver answers from. */
typedef struct recorded {
  char *prompt;
  const char *answers[CK_EFFECT_KIND_COUNT][256];
  size_t count[CK_EFFECT_KIND_COUNT];
  size_t messages;
} recorded;

static void read_file(ck_buffer *out) {
  char path[4096], block[65536];
  const char *dir = tap_data_dir();
  if (!dir) tap_skip_all("no recorded sessions: set CKRUN_DATA");
  snprintf(path, sizeof path, "%s/%s", dir, recording);
  FILE *file = fopen(path, "r");
  if (!file) tap_skip_all("%s is not there", path);
  for (size_t len; (len = fread(block, 1, sizeof block, file)) > 0;)
    ck_buffer_append(out, block, len);
  fclose(file);
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_json_check(ck_buffer_bytes(out), &err) == CK_OK, "%s is JSON", path);
}

static void add(recorded *self, ck_effect_kind kind, ck_bytes json) {
  char *copy = strndup(json.data, json.len);
  if (!copy || self->count[kind] == 255) tap_must(false, "the recording fits");
  self->answers[kind][self->count[kind]++] = copy;
}

static void read_messages(recorded *self, ck_bytes messages) {
  ck_json_iterator it = ck_json_iterate(messages);
  while (ck_json_next(&it)) {
    ck_bytes role = ck_json_get(it.value, "role"), content = ck_json_get(it.value, "content");
    self->messages++;
    if (ck_json_is_text(role, "system")) self->prompt = ck_json_dup_string(content);
    if (ck_json_is_text(role, "user")) add(self, CK_EFFECT_ASK, content);
    if (ck_json_is_text(role, "assistant")) add(self, CK_EFFECT_MODEL, it.value);
    if (ck_json_is_text(role, "tool")) add(self, CK_EFFECT_TOOL, content);
  }
}

static void clear(recorded *self) {
  free(self->prompt);
  for (int kind = 0; kind < CK_EFFECT_KIND_COUNT; kind++) {
    for (size_t i = 0; i < self->count[kind]; i++) free((char *)(uintptr_t)self->answers[kind][i]);
  }
}

/* Roles and contents are equal; how a message is spelt is the runtime's. */
static bool is_same_conversation(const ck_conversation *got, ck_bytes want) {
  size_t index = 0;
  ck_json_iterator it = ck_json_iterate(want);
  for (; ck_json_next(&it); index++) {
    if (index >= ck_conversation_count(got)) return false;
    ck_bytes message = ck_value_bytes(ck_conversation_get(got, index));
    char *a = ck_json_dup_string(ck_json_get(message, "content")),
         *b = ck_json_dup_string(ck_json_get(it.value, "content"));
    bool same = ck_bytes_equal(ck_json_get(message, "role"), ck_json_get(it.value, "role")) &&
                !a == !b && (!a || strcmp(a, b) == 0);
    free(a);
    free(b);
    if (!same) return false;
  }
  return index == ck_conversation_count(got);
}

static bool is_all_given(const flow_driver *driver, const recorded *from) {
  return memcmp(driver->given, from->count, sizeof driver->given) == 0;
}

static void test_session(ck_bytes session, int number) {
  recorded from = {0};
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  ck_bytes messages = ck_json_get(session, "traj");
  read_messages(&from, messages);
  flow_driver_load(&driver, "examples/airline/flow.lua", NULL);
  driver.prompt = from.prompt;
  for (int kind = 0; kind < CK_EFFECT_KIND_COUNT; kind++) driver.answers[kind] = from.answers[kind];
  ck_status status = flow_driver_run(&driver, &err);
  tap_ok(status == CK_OK && is_all_given(&driver, &from) &&
             is_same_conversation(driver.conversation, messages),
         "session %d: %zu messages, each asked for in its turn", number, from.messages);
  char *whole = strdup(flow_driver_log(&driver));
  ck_digest digest = ck_conversation_digest(driver.conversation);
  size_t boundaries = driver.snapshot_count, same = 0;
  for (size_t i = 0; i < boundaries; i++) {
    size_t tail = driver.snapshots[i].log;
    flow_driver_rewind(&driver, i);
    status = flow_driver_run(&driver, &err);
    ck_digest again = ck_conversation_digest(driver.conversation);
    same += status == CK_OK && strcmp(flow_driver_log(&driver), whole + tail) == 0 &&
            ck_digest_equal(&digest, &again);
  }
  tap_is_int((int64_t)same, (int64_t)boundaries,
             "opened again at each of its boundaries, it ends the same");
  free(whole);
  flow_driver_clear(&driver);
  clear(&from);
}

int main(void) {
  ck_buffer text = {0};
  read_file(&text);
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&text));
  int count = 0;
  while (ck_json_next(&it)) test_session(it.value, count++);
  tap_is_int(count, 50, "all of them");
  ck_buffer_clear(&text);
  return tap_done();
}
