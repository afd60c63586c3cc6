/* test_model_cache.c - what a model is asked to keep in its provider's cache, to the byte, and what
 * that costs. */
#include <string.h>

#include "tests/effect/model/model_fixture.h"
#include "tests/effect/wire_marks.h"
#include "tests/tap.h"

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"
#define HOUR ",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}"
#define BODY(mark)                                                                            \
  "{\"model\":\"test-model\",\"max_tokens\":8192,\"system\":[{\"type\":\"text\",\"text\":"    \
  "\"S\"" mark "}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\"" \
  ":\"U\"" mark "}]}],\"tools\":[{\"name\":\"f\",\"input_schema\":{\"type\":\"object\"}},"    \
  "{\"name\":\"g\",\"input_schema\":{\"type\":\"object\"}" mark "}]}"
#define TOOLS "{\"model\":\"m\",\"tools\":[\"f\",\"g\"]}"
#define ANSWER                                                                         \
  "{\"answer\":{\"text\":\"A\",\"usage\":{\"input\":100,\"output\":1,\"cached\":40,\"" \
  "written\":60}},\"times\":0}"

static ck_bytes body_of(model_fixture *it, size_t index) {
  return ck_json_get(model_server_request(&it->server, index), "body");
}

static void begin(model_fixture *it, int cache_s) {
  model_fixture_open(it, "anthropic", ANSWER);
  it->model->cache_s = cache_s;
  it->model->stream = 0;
}

static void test_bytes(int cache_s, const char *want) {
  model_fixture it;
  begin(&it, cache_s);
  model_fixture_add(&it, "system", "S");
  model_fixture_add(&it, "user", "U");
  const ck_outcome *outcome = model_fixture_call(&it, TOOLS);
  tap_is_bytes(body_of(&it, 0), ck_bytes_text(want), "asked to keep it for %d s", cache_s);
  tap_is_int(outcome->cost_micros, 100 * 3 + 40 * 1 + 60 * 4 + 15,
             "%d s: what was read there and written there costs what it costs", cache_s);
  model_fixture_close(&it);
}

/* Marks of the user's own, in his words or his options, are all there are. */
static void test_own_marks(const char *request, const char *said, size_t want) {
  model_fixture it;
  size_t count = 0;
  begin(&it, 300);
  model_fixture_add(&it, "user", said);
  (void)model_fixture_call(&it, request);
  const char *problem = wire_marks_check(&count, body_of(&it, 0));
  tap_ok(!problem, "%s, %s: %s", request, said, problem ? problem : "as the provider takes them");
  tap_is_int((int64_t)count, (int64_t)want, "%s, %s: so many marks", request, said);
  model_fixture_close(&it);
}

static void without_marks(ck_buffer *out, ck_bytes text) {
  for (size_t i = 0; i < text.len; i++) {
    bool mark = text.len - i >= strlen(MARK) && memcmp(text.data + i, MARK, strlen(MARK)) == 0;
    if (mark)
      i += strlen(MARK) - 1;
    else
      ck_buffer_append_char(out, text.data[i]);
  }
}

/* The provider finds what it keeps only if the next request begins as this one did, to its mark:
 * tools and system prompt are the same, and the turns are gone on with. */
static void test_next_begins_so(void) {
  model_fixture it;
  begin(&it, 300);
  model_fixture_add(&it, "system", "S");
  model_fixture_add(&it, "user", "U");
  ck_buffer bodies[3] = {{0}, {0}, {0}};
  for (size_t i = 0; i < 3; i++) {
    const ck_outcome *outcome = model_fixture_call(&it, TOOLS);
    tap_must(outcome->result != NULL, "call %zu is answered: %s", i, outcome->error);
    model_fixture_append(&it, outcome->result);
    model_fixture_add(&it, "user", "and");
  }
  for (size_t i = 0; i < 3; i++) without_marks(&bodies[i], body_of(&it, i));
  for (size_t i = 1; i < 3; i++) {
    ck_bytes before = ck_buffer_bytes(&bodies[i - 1]), now = ck_buffer_bytes(&bodies[i]);
    ck_bytes old = ck_json_get(before, "messages"), new = ck_json_get(now, "messages");
    tap_is_bytes(ck_json_get(now, "tools"), ck_json_get(before, "tools"), "tools of call %zu", i);
    tap_is_bytes(ck_json_get(now, "system"), ck_json_get(before, "system"), "system of %zu", i);
    tap_ok(old.len > 1 && new.len > old.len &&memcmp(old.data, new.data, old.len - 1) == 0,
           "call %zu begins with what was said in the one before", i);
  }
  for (size_t i = 0; i < 3; i++) ck_buffer_clear(&bodies[i]);
  model_fixture_close(&it);
}

/* All of the input may be written to the cache: for an hour at 8/5 of what a write costs. */
static void test_reserve(void) {
  int64_t reserves[2], output = CK_MODEL_MAX_TOKENS * 15;
  for (int i = 0; i < 2; i++) {
    model_fixture it;
    begin(&it, i ? 300 : 0);
    model_fixture_add(&it, "user", "U");
    (void)model_fixture_call(&it, TOOLS);
    it.effect.request = ck_bytes_text(TOOLS);
    reserves[i] = it.driver->reserve(it.driver->self, &it.effect);
    model_fixture_close(&it);
  }
  int64_t tokens = (reserves[0] - output) / 3;
  tap_is_int(reserves[1], (tokens * 4 * 8 + 4) / 5 + output, "what is written is reserved as such");
}

int main(void) {
  test_bytes(0, BODY(""));
  test_bytes(300, BODY(MARK));
  test_bytes(3600, BODY(HOUR));
  test_own_marks(TOOLS, "what is \"cache_control\"?", 2);
  test_own_marks("{\"model\":\"m\",\"cache_control\":{\"type\":\"ephemeral\"}}", "U", 1);
  test_own_marks("{\"model\":\"m\",\"tools\":[{\"name\":\"f\",\"cache_control\":{\"type\":"
                 "\"ephemeral\"},\"type\":\"custom\",\"input_schema\":{\"type\":\"object\"}}]}",
                 "U", 1);
  test_own_marks("{\"model\":\"m\",\"tools\":[{\"type\":\"custom\",\"name\":\"f\",\"input_schema\":"
                 "{\"type\":\"object\"},\"defer_loading\":true}]}",
                 "U", 1);
  test_next_begins_so();
  test_reserve();
  return tap_done();
}
