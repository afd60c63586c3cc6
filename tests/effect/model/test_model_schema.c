/* test_model_schema.c - each API is asked in its own way for an answer that satisfies a schema. */
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

int main(void) {
  test_schema();
  return tap_done();
}
