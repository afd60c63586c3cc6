/* test_model_schema.c - each API is asked in its own way for an answer that satisfies a schema, and
 * for one of a length. */
#include <string.h>

#include "core/effect/model/private.h"
#include "tests/tap.h"

/* Each API has its own way to be asked for an answer of a schema. */
static void test_schema(void) {
  static const char *const wanted[] = {
      [CK_MODEL_OPENAI] = "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":"
                          "\"answer\",\"schema\":{\"type\":\"object\"}}}",
      [CK_MODEL_ANTHROPIC] = "\"tool_choice\":{\"type\":\"any\"}",
      [CK_MODEL_RESPONSES] = "\"text\":{\"verbosity\":\"low\",\"format\":{\"type\":\"json_schema\","
                             "\"name\":\"answer\",\"schema\":{\"type\":\"object\"}}}",
      [CK_MODEL_GEMINI] = "\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\"}}"};
  for (ck_model_api api = 0; api < CK_MODEL_API_COUNT; api++) {
    const char *request = "{\"model\":\"m\",\"tools\":[\"f\"],\"response_schema\":{\"type\":"
                          "\"object\"}}";
    if (api == CK_MODEL_RESPONSES)
      request = "{\"model\":\"m\",\"text\":{\"verbosity\":\"low\",\"format\":5},"
                "\"response_schema\":{\"type\":\"object\"}}";
    ck_profile_model model = {.api = api, .model = (char *)"m", .stream = 0};
    ck_model_query ask = {&model, ck_bytes_text(request), NULL, 0, NULL};
    ck_buffer body = {0};
    tap_must(ck_model_format_of(api)->write(&body, &ask, NULL) == CK_OK, "it is written");
    tap_ok(strstr(body.data, wanted[api]) && ck_json_check(ck_buffer_bytes(&body), NULL) == CK_OK,
           "%s: %s", ck_model_api_name(api), body.data);
    tap_ok(!strstr(body.data, "response_schema"), "%s: nothing of ours is sent",
           ck_model_api_name(api));
    ck_buffer_clear(&body);
  }
}

/* The limit of an answer has the name that its server knows. */
static void test_limit_name(void) {
  static const struct {
    ck_model_api api;
    const char *model, *base_url, *says, *wanted;
  } cases[] = {
      {CK_MODEL_OPENAI, "m", NULL, NULL, "max_completion_tokens"},
      {CK_MODEL_OPENAI, "m", NULL, "max_tokens", "max_tokens"},
      {CK_MODEL_OPENAI, "m", "https://h", NULL, "max_tokens"},
      {CK_MODEL_OPENAI, "m", "https://h", "max_completion_tokens", "max_completion_tokens"},
      {CK_MODEL_OPENAI, "o3-mini", "https://h", NULL, "max_completion_tokens"},
      {CK_MODEL_OPENAI, "openai/gpt-5-mini", "https://h", NULL, "max_completion_tokens"},
      {CK_MODEL_OPENAI, "gpt-5", "https://h", "max_tokens", "max_tokens"},
      {CK_MODEL_OPENAI, "my-gpt-5", "https://h", NULL, "max_tokens"},
      {CK_MODEL_RESPONSES, "gpt-5", "https://h", NULL, "max_output_tokens"},
      {CK_MODEL_ANTHROPIC, "m", NULL, NULL, "max_tokens"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_profile_model model = {.api = cases[i].api,
                              .model = (char *)cases[i].model,
                              .base_url = (char *)cases[i].base_url,
                              .max_tokens_name = (char *)cases[i].says};
    for (int64_t most = 0; most < 2; most++) { /* that of the request, or one in its place */
      ck_model_query ask = {&model, ck_bytes_text("{\"max_tokens\":7}"), NULL, most, NULL};
      ck_buffer body = {0};
      int64_t tokens = 0;
      tap_must(ck_model_format_of(model.api)->write(&body, &ask, NULL) == CK_OK, "it is written");
      ck_json_read_int(&tokens, ck_json_get(ck_buffer_bytes(&body), cases[i].wanted));
      tap_is_int(tokens, most ? most : 7, "%s %s: %s", ck_model_api_name(model.api), model.model,
                 cases[i].wanted);
      ck_buffer_clear(&body);
    }
  }
}

int main(void) {
  test_limit_name();
  test_schema();
  return tap_done();
}
