/* test_profile_models.c - models in a profile: what they say, what they take over, and that no key
 * gets in. */
#include <string.h>

#include "lua/profile/profile.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static ck_profile *load(const char *name) {
  ck_profile *profile = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, name, &err) == CK_OK, "%s loads: %s", name, err.text);
  return profile;
}

static void test_least(void) {
  ck_profile *profile = load(vm_script_file(
      "least.lua",
      "return { name = 'x', models = { default = { api = 'anthropic', model = 'claude' } } }"));
  const ck_profile_model *model = ck_profile_get_model(profile, "default");
  tap_must(model != NULL, "there is a model");
  tap_is_int(model->api, CK_MODEL_ANTHROPIC, "it has its API");
  tap_is_text(model->base_url, NULL, "and is where the API is");
  tap_is_text(model->key, NULL, "without a key");
  tap_is_int(model->stream, -1, "what is not said is told apart");
  tap_is_int(model->price.input, -1, "a price, too");
  tap_ok(ck_profile_get_model(profile, "other") == NULL, "there is no other");
  ck_profile_free(profile);
}

static void test_inheritance(void) {
  vm_script_file("below.lua",
                 "return { name = 'below', models = {\n"
                 "  default = { api = 'openai', base_url = 'https://host/v1', model = 'a', key = "
                 "'main', stream = false, max_tokens = 100, temperature = 0.5,\n"
                 "    timeout_s = 1.5, idle_timeout_s = false, connect_timeout_s = 2, retries = 0, "
                 "options = { top_p = 0.9 },\n"
                 "    price = { input = 3, output = 15.25, cache_read = 0.075, cache_write = 0 },\n"
                 "    headers = { ['X-Team'] = 'blue', ['X-Door'] = { secret = 'door' } } },\n"
                 "  small = { api = 'openai', model = 'b' } } }");
  ck_profile *profile =
      load(vm_script_file("above.lua", "return { name = 'above', extends = './below.lua', secrets "
                                       "= { main = 'env:MAIN', door = 'file:door' },\n"
                                       "models = { default = { model = 'c', headers = { ['x-team'] "
                                       "= 'red' }, price = { input = 4 } } } }"));
  const ck_profile_model *model = ck_profile_get_model(profile, "default");
  tap_is_int((int64_t)profile->model_count, 2, "models are inherited");
  tap_is_text(model->model, "c", "what is said again holds");
  tap_is_text(model->base_url, "https://host/v1", "what is not stays");
  tap_is_text(model->key, "main", "the name of a secret that the upper profile has");
  tap_ok(model->stream == 0 && model->retries == 0 && model->timeout_ms == 1500 &&
             model->idle_timeout_ms == 0 && model->connect_timeout_ms == 2000,
         "numbers");
  tap_is_bytes(ck_value_bytes(model->max_tokens), ck_bytes_text("100"), "tokens");
  tap_is_bytes(ck_value_bytes(model->temperature), ck_bytes_text("0.5"), "temperature");
  tap_is_bytes(ck_value_bytes(model->options), ck_bytes_text("{\"top_p\":0.9}"), "options");
  tap_ok(model->price.input == 4000000 && model->price.output == 15250000 &&
             model->price.cache_read == 75000 && model->price.cache_write == 0,
         "prices in micro-dollars for a million");
  tap_is_int((int64_t)model->header_count, 2, "headers are one of a name, in any case");
  for (size_t i = 0; i < model->header_count; i++) {
    const ck_profile_header *header = &model->headers[i];
    tap_is_text(header->value, header->secret ? "door" : "red", "header %s", header->name);
  }
  ck_value *shown = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_profile_describe(&shown, profile, NULL, &err), CK_OK, &err, "it is described");
  const char *text = shown ? ck_value_bytes(shown).data : "";
  tap_ok(strstr(text, "{\"key\":\"models.default.model\",\"value\":\"c\",\"from\":") &&
             strstr(text, "above.lua"),
         "with what each file said");
  tap_ok(strstr(text, "{\"key\":\"models.default.price.output\",\"value\":15.25,") != NULL,
         "prices one by one");
  tap_ok(
      strstr(text, "{\"key\":\"models.default.headers.X-Door\",\"value\":{\"secret\":\"door\"},") !=
          NULL,
      "secrets by their names");
  ck_value_free(shown);
  ck_profile_free(profile);
}

/* `want` is in the error, and what is secret in none. */
static void test_refusals(void) {
  static const char *const cases[][2] = {
      {"7", "models: a table with names is expected"},
      {"{ default = 7 }", "models.default: a table with names is expected"},
      {"{ ['a b'] = { api = 'openai', model = 'm' } }", "models: a name"},
      {"{ default = { model = 'm' } }", "models.default: needs 'api'"},
      {"{ default = { api = 'gemini', model = 'm', cache = '5m' } }",
       "models.default: cache is of api \"anthropic\", and this one is \"gemini\""},
      {"{ default = { api = 'anthropic', model = 'm', cache = true } }",
       "models.default.cache: \"5m\", \"1h\" or false"},
      {"{ default = { api = 'openai' } }", "models.default: needs 'model'"},
      {"{ default = { api = 'opnai', model = 'm' } }", "models.default.api: \"openai\""},
      {"{ default = { api = 'openai', model = 'm', modle = 'x' } }",
       "unknown key 'modle' (did you mean 'model'?)"},
      {"{ default = { api = 'openai', model = 'm', key = 'mian' } }",
       "models.default.key: there is no secret 'mian' (did you mean 'main'?)"},
      {"{ default = { api = 'openai', model = 'm', key = 'sk-canary' } }",
       "models.default.key: the name of a secret is expected, never the key itself"},
      {"{ default = { api = 'openai', model = 'm', key = 'canary0123456789012345678901234567890' } "
       "}",
       "never the key itself"},
      {"{ default = { api = 'openai', model = 'm', key = 'canary.with+signs/and=' } }",
       "never the key itself"},
      {"{ default = { api = 'openai', model = 'm', key = 'env:CANARY' } }",
       "models.default.key: the name of a secret is expected"},
      {"{ default = { api = 'openai', model = 'm', key = 5 } }",
       "models.default.key: a text is expected"},
      {"{ default = { api = 'openai', model = 'm', headers = { Authorization = 'Basic canary' } } "
       "}",
       "models.default.headers.Authorization: { secret = \"NAME\" } is expected"},
      {"{ default = { api = 'openai', model = 'm', headers = { ['X-Y'] = 'Bearer canary' } } }",
       "never the secret itself"},
      {"{ default = { api = 'openai', model = 'm', headers = { ['X-Y'] = { secret = 'nope' } } } }",
       "models.default.headers.X-Y: there is no secret 'nope'"},
      {"{ default = { api = 'openai', model = 'm', headers = { ['X Y'] = 'z' } } }",
       "a header's name is expected"},
      {"{ default = { api = 'openai', model = 'm', headers = { ['X-Y'] = 'a\\r\\nb' } } }",
       "a line without control characters"},
      {"{ default = { api = 'openai', model = 'm', headers = { ['content-Length'] = '7' } } }",
       "ckrun's own"},
      {"{ default = { api = 'openai', model = 'm', base_url = 'ftp://host' } }",
       "models.default.base_url: \"https://HOST/"},
      {"{ default = { api = 'openai', model = 'm', base_url = 'https://' } }",
       "models.default.base_url"},
      {"{ default = { api = 'openai', model = 'm', base_url = 'https://user:canary@host/' } }",
       "a credential has no place in it"},
      {"{ default = { api = 'openai', model = 'm', base_url = 'https://host/?key=canary' } }",
       "a credential has no place in it"},
      {"{ default = { api = 'openai', model = 'm', stream = 'yes' } }",
       "models.default.stream: true or false"},
      {"{ default = { api = 'openai', model = 'm', max_tokens = 0 } }",
       "models.default.max_tokens: a whole number"},
      {"{ default = { api = 'openai', model = 'm', max_tokens_name = 'max_output' } }",
       "models.default.max_tokens_name: \"max_tokens\" or \"max_completion_tokens\""},
      {"{ default = { api = 'openai', model = 'm', fallback_for = 0 } }",
       "models.default.fallback_for: whole seconds from 1 to 86400, \"session\", or false"},
      {"{ default = { api = 'openai', model = 'm', temperature = -1 } }",
       "models.default.temperature"},
      {"{ default = { api = 'openai', model = 'm', timeout_s = 0 } }",
       "models.default.timeout_s: seconds"},
      {"{ default = { api = 'openai', model = 'm', retries = 1.5 } }",
       "models.default.retries: a whole number from 0 to 20"},
      {"{ default = { api = 'openai', model = 'm', options = { messages = {} } } }",
       "models.default.options: 'messages' is ckrun's own"},
      {"{ default = { api = 'openai', model = 'm', price = { inptu = 1 } } }",
       "unknown key 'inptu' (did you mean 'input'?)"},
      {"{ default = { api = 'openai', model = 'm', price = { input = -1 } } }",
       "models.default.price.input: dollars"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_buffer text = {0};
    ck_profile *profile = (ck_profile *)1;
    ck_error err = CK_ERROR_INIT;
    ck_buffer_append_format(
        &text, "return { name = 'x', secrets = { main = 'env:MAIN' }, models = %s }", cases[i][0]);
    ck_status status = ck_profile_load(&profile, vm_script_file("case.lua", text.data), &err);
    tap_ok(status == CK_E_PARSE || status == CK_E_USAGE, "refused: %s", cases[i][0]);
    tap_ok(strstr(err.text, cases[i][1]) && strstr(err.text, "case.lua"), "and told: %s", err.text);
    tap_ok(!strcasestr(err.text, "canary"), "without what may be secret");
    tap_ok(profile == NULL, "nothing is given out");
    ck_buffer_clear(&text);
  }
}

int main(void) {
  test_least();
  test_inheritance();
  test_refusals();
  return tap_done();
}
