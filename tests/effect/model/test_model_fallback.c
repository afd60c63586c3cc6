/* test_model_fallback.c - a call that asks another model than its request names: address, price and
 * key are that one's. */
#include <stdlib.h>
#include <string.h>

#include "tests/effect/model/model_fixture.h"
#include "tests/tap.h"

#define ANSWER "{\"answer\":{\"text\":\"A\",\"usage\":{\"input\":100,\"output\":1}},\"times\":0}"
#define REQUEST "{\"model\":\"m\"}"

/* Ten times as dear as "m", at the same address. */
static void add_other(model_fixture *it) {
  ck_profile_model *other;
  tap_must(ck_profile_put_model(&other, it->profile, "other", NULL) == CK_OK, "there is another");
  it->model = (ck_profile_model *)ck_profile_get_model(it->profile, "m"); /* it may have moved */
  other->api = it->model->api;
  other->has_api = true;
  other->base_url = strdup(it->model->base_url);
  other->model = strdup("other-model");
  other->price = (ck_model_price){30000000, 150000000, -1, -1, {0}};
  other->retries = 7;
}

static int64_t reserve_of(model_fixture *it, const char *model) {
  it->effect.request = ck_bytes_text(REQUEST);
  it->effect.model = model;
  return it->driver->reserve(it->driver->self, &it->effect);
}

static ck_bytes key_of(model_fixture *it, size_t index) {
  return ck_json_get(ck_json_get(model_server_request(&it->server, index), "headers"),
                     "idempotency-key");
}

static void test_other(const char *api) {
  model_fixture it;
  model_fixture_open(&it, api, ANSWER);
  add_other(&it);
  ck_value *most;
  tap_must(ck_value_new(&most, ck_bytes_text("{\"max_tokens\":100}"), NULL) == CK_OK, "options");
  it.model->options = ck_value_share(most);
  ((ck_profile_model *)ck_profile_get_model(it.profile, "other"))->options = most;
  model_fixture_add(&it, "user", "U");
  tap_is_int(model_fixture_call(&it, REQUEST)->cost_micros, 100 * 3 + 15, "%s: the first", api);
  it.effect.model = "other";
  tap_is_int(model_fixture_call(&it, REQUEST)->cost_micros, 100 * 30 + 150,
             "%s: the other costs what it costs", api);
  (void)model_fixture_call(&it, REQUEST);
  tap_ok(ck_json_is_text(
             ck_json_get(ck_json_get(model_server_request(&it.server, 1), "body"), "model"),
             "other-model"),
         "%s: it is the one that is asked", api);
  tap_ok(!ck_bytes_equal(key_of(&it, 0), key_of(&it, 1)), "%s: under a key of its own", api);
  tap_is_bytes(key_of(&it, 2), key_of(&it, 1), "%s: which stays the same", api);
  tap_is_int(reserve_of(&it, "other"), 10 * reserve_of(&it, NULL), "%s: at its own reserve", api);
  it.effect.model = "other";
  tap_is_int(it.driver->tries(it.driver->self, &it.effect), 8, "%s: with its own tries", api);
  it.effect.model = "nobody";
  tap_is_int(it.driver->reserve(it.driver->self, &it.effect), CK_RESERVE_UNPRICED,
             "%s: one that is not there has no price", api);
  model_fixture_close(&it);
}

int main(void) {
  test_other("openai");
  test_other("anthropic");
  return tap_done();
}
