/* test_power_loss.c - the power goes as soon as something is relied on: an action that begins, one
 * that a flow goes on behind, a checkpoint that a flow has waited for. What a disk that keeps only
 * what was synced must have of it is there. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/store/fixture.h"
#include "tests/store/power.h"
#include "tests/tap.h"

enum { IMAGES = 6 };

static const char program[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
    "local function act(kind, class, name) "
    "  ctx.effect { kind = kind, class = class, request = { name = name, model = 'm' } } end "
    "act('tool', 'once', 'pay') act('tool', 'pure', 'look') "
    "ctx.boundary('step_complete', { position = { path = 'behind' } }) "
    "act('tool', 'pure', 'read') act('tool', 'reconcilable', 'book') "
    "act('model', 'pure', 'think') act('tool', 'pure', 'end') "
    "return 1 end }";

/* What an image is asked for: events of a kind, of the effect whose key ends so, and checkpoints.
 */
typedef struct finding {
  const char *key;
  int64_t count;
} finding;

static bool has_key(void *to, const ck_event *event) {
  finding *self = to;
  self->count += ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "key"), self->key);
  return true;
}

static bool count(void *to, const ck_checkpoint_info *checkpoint) {
  (void)checkpoint;
  ++((finding *)to)->count;
  return true;
}

/* `kind` 0: checkpoints. */
static bool holds(ck_store *store, ck_event_kind kind, const char *key) {
  finding found = {.key = key};
  ck_error err = CK_ERROR_INIT;
  ck_session_record record;
  tap_must(ck_store_get_session(&record, store, "s", &err) == CK_OK, "session: %s", err.text);
  ck_event_query query = {.session = record.no, .kinds = 1ull << kind};
  ck_status status = kind ? ck_store_read_events(store, &query, has_key, &found, &err)
                          : ck_store_list_checkpoints(store, record.no, count, &found, &err);
  tap_must(status == CK_OK, "read: %s", err.text);
  ck_session_record_clear(&record);
  return found.count > 0;
}

/* In how many images of this moment it is. */
static int kept(ck_event_kind kind, const char *key) {
  char url[512];
  int in = 0;
  const char *image = tap_tmpfile("image.db");
  snprintf(url, sizeof url, "sqlite:%s", image);
  for (uint64_t seed = 1; seed <= IMAGES; seed++) {
    power_make_image(image, power_count(), seed);
    ck_store *store = fixture_open(url);
    in += holds(store, kind, key);
    ck_store_close(store);
  }
  return in;
}

static const char done[] = "\"done\"";
static const char said[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

static void live(fake_flow *s) {
  fake_flow_start(s, "s");
  tap_is_int(kept(CK_EVENT_INTENT, "main/start/tool/1"), IMAGES,
             "a once effect begins: its intent is on the disk");
  fake_flow_ok(s, "tool/1", done, 0);
  tap_ok(fake_flow_is_running(s, "tool/2"), "the next one begins");
  tap_is_int(kept(CK_EVENT_OUTCOME, "main/start/tool/1"), IMAGES,
             "the outcome of a once effect is on the disk");
  tap_is_int(kept(0, NULL), 0, "no checkpoint was taken yet");
  fake_flow_ok(s, "tool/2", done, 0);
  tap_ok(fake_flow_is_running(s, "behind/tool/1"), "the flow goes on behind a boundary");
  tap_is_int(kept(0, NULL), IMAGES, "its checkpoint, which the flow waited for, is on the disk");
  tap_ok(kept(CK_EVENT_INTENT, "main/behind/tool/1") < IMAGES,
         "the intent of what is pure, committed by itself, is not: a disk does lose something");
  fake_flow_ok(s, "tool/1", done, 0);
  tap_is_int(kept(CK_EVENT_INTENT, "main/behind/tool/2"), IMAGES,
             "so is the intent of what a probe is asked about later");
  fake_flow_ok(s, "tool/2", done, 0);
  tap_ok(fake_flow_is_running(s, "model/1"), "a model is asked, at a price");
  tap_is_int(kept(CK_EVENT_INTENT, "main/behind/model/1"), IMAGES,
             "what may cost money is on the disk before it begins");
  fake_flow_ok(s, "model/1", said, 70);
  tap_ok(fake_flow_is_running(s, "tool/3"), "the flow goes on with its answer");
  tap_is_int(kept(CK_EVENT_OUTCOME, "main/behind/model/1"), IMAGES,
             "what was paid for is on the disk");
  fake_flow_ok(s, "tool/3", done, 0);
  tap_is_int(s->result.status, CK_SESSION_COMPLETED, "the session ends");
}

int main(void) {
  char url[512];
  const char *path = tap_tmpfile("power.db");
  fake_flow s = {.url = url, .reserve = 100};
  snprintf(url, sizeof url, "sqlite:%s", path);
  power_install();
  ck_store_close(fixture_open(url)); /* how a store appears is not what is attacked here */
  power_record(path);
  fake_flow_open(&s, program);
  live(&s);
  power_stop();
  fake_flow_close(&s);
  power_clear();
  return tap_done();
}
