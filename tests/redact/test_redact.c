/* test_redact.c - what each sink lets through: names, ids, signed blocks, nested documents,
 * policies; the rest untouched. */
#include "core/redact/redact.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static ck_redactor *redactor;
static const uint8_t store_key[32] = "a key of thirty-two bytes, fixed";

static ck_event_kind event_kind; /* of what passes; 0: not known */

/* What `redactor` makes of `json`; NULL when it is dropped. The caller frees. */
static char *apply(ck_sink sink, const char *key, const char *json, bool *shared) {
  ck_value *value = NULL, *kept = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s is JSON: %s", json,
           err.text);
  ck_status status = sink == CK_SINK_EVENT
                         ? ck_redactor_apply_event(&kept, redactor, event_kind, value, &err)
                         : ck_redactor_apply(&kept, redactor, sink, key, value, &err);
  tap_must(status == CK_OK, "it passes: %s", err.text);
  if (shared) *shared = kept == value;
  char *text = kept ? strdup(ck_value_bytes(kept).data) : NULL;
  tap_must(!kept || ck_json_check(ck_value_bytes(kept), &err) == CK_OK, "what passes is JSON: %s",
           err.text);
  ck_value_free(kept);
  ck_value_free(value);
  return text;
}

/* `want` may hold '#' for the 12 hex digits of a fingerprint. */
static bool fits(const char *got, const char *want) {
  for (; got && *want; want++) {
    if (*want == '#') {
      if (strspn(got, "0123456789abcdef") < 12) return false;
      got += 12;
    } else if (*got++ != *want) {
      return false;
    }
  }
  return got && !*got;
}

static void becomes(ck_sink sink, const char *key, const char *json, const char *want,
                    const char *promise) {
  char *got = apply(sink, key, json, NULL);
  if (!tap_ok(fits(got, want), "%s", promise))
    tap_diag("%s became %s", json, got ? got : "(dropped)");
  free(got);
}

static void stays_as(ck_sink sink, const char *key, const char *json, const char *promise) {
  bool shared;
  char *got = apply(sink, key, json, &shared);
  if (!tap_ok(shared, "%s: the same value, shared", promise))
    tap_diag("%s became %s", json, got ? got : "(dropped)");
  free(got);
}
#define EVENT(json, want, promise) becomes(CK_SINK_EVENT, NULL, json, want, promise)
#define STAYS(json, promise) stays_as(CK_SINK_EVENT, NULL, json, promise)

static void test_names(void) {
  EVENT("{ \"api_key\" : \"hunter22\" , \"x\":[1, 2]}",
        "{ \"api_key\" : \"[redacted:api_key:#]\" , \"x\":[1, 2]}",
        "the value under a secret's name goes, the bytes around it stay");
  EVENT("[{\"a\":{\"b\":[{\"clientSecret\":\"s3\"}]}}]",
        "[{\"a\":{\"b\":[{\"clientSecret\":\"[redacted:secret:#]\"}]}}]", "at any depth");
  EVENT("{\"credentials\":{\"user\":\"ann\",\"n\":[\"x\",12345,true,null]}}",
        "{\"credentials\":{\"user\":\"[redacted:credentials:#]\",\"n\":[\"[redacted:credentials:#]"
        "\",\"[redacted:credentials:#]\","
        "true,null]}}",
        "everything below such a name goes, the structure stays");
  EVENT("{\"password\":123456}", "{\"password\":\"[redacted:password:#]\"}",
        "a number becomes a text");
  EVENT("{\"a\":\"{\\\"password\\\": \\\"x\\\\ny\\\", \\\"b\\\": 1.50}\"}",
        "{\"a\":\"{\\\"password\\\": \\\"[redacted:password:#]\\\", \\\"b\\\": 1.50}\"}",
        "JSON in a string");
  EVENT("{\"a\":\"{\\\"pin\\\":1234}\"}", "{\"a\":\"{\\\"pin\\\":\\\"[redacted:code:#]\\\"}\"}",
        "a number in JSON in a string");
  EVENT("[\"[{\\\"a\\\":\\\"{\\\\\\\"secret\\\\\\\":\\\\\\\"v\\\\\\\"}\\\"}]\"]",
        "[\"[{\\\"a\\\":\\\"{\\\\\\\"secret\\\\\\\":\\\\\\\"[redacted:secret:#]\\\\\\\"}\\\"}]\"]",
        "JSON in a string in JSON in a string");
  EVENT("[\"line 1: {\\\"token\\\": 1, \\\"api_key\\\": \\\"abc\\\"} and mo\"]",
        "[\"line 1: {\\\"token\\\": 1, \\\"api_key\\\": \\\"[redacted:api_key:#]\\\"} and mo\"]",
        "members of JSON in other text");
  EVENT("{\"api\\u005fkey\":\"abc\"}", "{\"api\\u005fkey\":\"[redacted:api_key:#]\"}",
        "an escape in the name hides nothing");
  STAYS("{\"parameters\":{\"password\":{\"type\":\"string\",\"description\":\"what to log in "
        "with\"}}}",
        "a schema");
  STAYS("{\"password\":\"\",\"secret\":null,\"api_key\":\"env:KEY\",\"token\":\"the\",\"auth\":"
        "\"oauth\",\"secrets\":3}",
        "what is no secret under such a name");
  STAYS("{\"password\":\"${DB_PASSWORD}\",\"api_key\":\"<your key>\",\"secret\":\"********\"}",
        "what stands for a secret");
  becomes(CK_SINK_STATE, "memory.access_token", "\"abc\"", "\"[redacted:access_token:#]\"",
          "the name of a state key counts");
  becomes(CK_SINK_STATE, "memory.x.credentials", "{\"a\":[\"b\"]}",
          "{\"a\":[\"[redacted:credentials:#]\"]}", "for all that lies below it");
  stays_as(CK_SINK_STATE, "memory.monkey", "{\"a\":[\"b\"]}", "another state key");
  stays_as(CK_SINK_EXPORT, NULL, "{\"api_key\":\"hunter22\"}",
           "names are no matter on the way out");
}

static void test_excluded(void) {
  const char *names[] = {"homePhone", "api_key", NULL};
  tap_is_status(ck_redactor_set_keys(redactor, names, NULL), CK_OK, NULL, "names of the profile");
  char *got = apply(CK_SINK_STATE, "memory.home_phone", "\"1\"", NULL);
  tap_ok(!got, "a state key of the profile's list is dropped");
  free(got);
  got = apply(CK_SINK_STATE, "memory.openai-api-key", "\"1\"", NULL);
  tap_ok(!got, "whatever its spelling");
  free(got);
  EVENT("{\"home-phone\":\"555 1\",\"phone\":\"555 2\"}",
        "{\"home-phone\":\"[redacted:excluded:#]\",\"phone\":\"555 2\"}", "a member is masked");
  tap_is_status(ck_redactor_set_keys(redactor, NULL, NULL), CK_OK, NULL, "they are taken away");
  STAYS("{\"home-phone\":\"555 1\"}", "the list is gone");
}

#define SECRET "kT9-canary/\\\"\xc3\xa9+Zq"
#define SECRET_JSON "kT9-canary/\\\\\\\"\xc3\xa9+Zq"

static void test_ids(void) {
  tap_is_status(ck_redactor_add_secret(redactor, "Open AI", ck_bytes_text(SECRET), NULL), CK_OK,
                NULL, "a known secret");
  EVENT("{\"text\":\"a " SECRET_JSON " b\"}", "{\"text\":\"a [redacted:open_ai:#] b\"}",
        "a known secret inside of a text");
  EVENT("{\"authorization\":\"" SECRET_JSON "\"}", "{\"authorization\":\"[redacted:open_ai:#]\"}",
        "the same placeholder where the name tells it, too");
  EVENT("{\"id\":\"call_" SECRET_JSON "\"}", "{\"id\":\"redacted_id_#\"}",
        "an id that holds one goes whole and stays an id");
  EVENT("[{\"" SECRET_JSON "\":1},{\"x" SECRET_JSON "\":2}]",
        "[{\"[redacted:name:#]\":1},{\"[redacted:name:#]\":2}]",
        "a name that holds one goes whole");
  STAYS("{\"id\":\"ghp_0123456789abcdefghijklmnopqrstuvwxyzAB\",\"signature\":"
        "\"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0."
        "c2lnbmF0dXJlc2lnbmF0dXJl\",\"tool_call_id\":\"sk-ant-api03-0123456789abcdefghij\"}",
        "ids and signatures whatever their shape");
  EVENT("[{\"type\":\"thinking\",\"thinking\":\"use " SECRET_JSON
        "\",\"signature\":\"c2ln\"}, {\"type\":\"text\",\"text\":\"hi\"}]",
        "[{\"type\":\"text\",\"text\":\"hi\"}]",
        "a signed block that holds one is dropped, with its comma");
  EVENT("[1 , {\"signature\":\"c2ln\",\"thinking\":\"" SECRET_JSON "\",\"type\":\"thinking\"}]",
        "[1]", "also the last");
  EVENT("{\"content\":[{\"type\":\"redacted_thinking\",\"data\":\"" SECRET_JSON "\"}]}",
        "{\"content\":[{\"type\":\"text\",\"text\":\"[redacted:thinking:#]\"}]}",
        "but a turn never becomes empty");
  EVENT("{\"c\":{\"type\":\"thinking\",\"x\":\"" SECRET_JSON "\",\"signature\":\"s\"}}",
        "{\"c\":{\"type\":\"text\",\"text\":\"[redacted:thinking:#]\"}}",
        "nor does a member vanish");
  STAYS("[{\"type\":\"thinking\",\"thinking\":\"password "
        "sk-ant-api03-0123456789abcdefghij\",\"password\":\"x1\","
        "\"signature\":\"c2ln\"}]",
        "a signed block without a known secret, to the byte");
  EVENT("[{\"type\":\"thinking\",\"thinking\":\"" SECRET_JSON "\"}]",
        "[{\"type\":\"thinking\",\"thinking\":\"[redacted:open_ai:#]\"}]",
        "one without a signature is text like any other");
  tap_is_status(ck_redactor_add_secret(redactor, "pin", ck_bytes_text("abc"), NULL), CK_E_RANGE,
                NULL, "three bytes are no secret");
  tap_is_status(ck_redactor_add_secret(redactor, "number", ck_bytes_text("86753091234"), NULL),
                CK_OK, NULL, "digits can be one");
  EVENT("[86753091234, 1.5]", "[\"[redacted:number:#]\", 1.5]", "also as a number");
}

static ck_redact_verdict answer;
static const char *answer_ref;
static ck_status answer_status;
static const char *answer_value; /* JSON */
static ck_status hook(ck_redact_answer *out, void *self, const char *key, const ck_value *value,
                      ck_error *err) {
  tap_must(self == &answer && value && err, "the hook is given what it needs%s",
           key ? "" : " for an event");
  *out = (ck_redact_answer){.verdict = answer, .ref = answer_ref ? strdup(answer_ref) : NULL};
  if (answer_value)
    tap_must(ck_value_new(&out->value, ck_bytes_text(answer_value), NULL) == CK_OK, "a value");
  return answer_status == CK_OK ? CK_OK : ck_error_set(err, answer_status, "policy x line 3: no");
}

/* Other texts in the place of an item's own. */
static void test_replaced(void) {
  answer = CK_REDACT_REPLACE;
  answer_value = "[\"Ada who\",2]";
  becomes(CK_SINK_STATE, "memory.a", "[\"Ada Lovelace\",2]", "[\"Ada who\",2]",
          "a policy may replace texts");
  answer_value = "\"password=sk-ant-api03-0123456789abcdefghij\"";
  becomes(CK_SINK_STATE, "memory.a", "\"x\"", "\"password=[redacted:model_key:#]\"",
          "the rules apply to those, too");
  event_kind = CK_EVENT_MESSAGE;
  answer_value = "{\"message\":{\"content\":\"pay X\",\"tool_calls\":[{\"function\":{"
                 "\"arguments\":\"{\\\"to\\\":\\\"X\\\"}\"}}]}}";
  becomes(CK_SINK_EVENT, NULL,
          "{\"message\":{\"role\":\"assistant\",\"content\":\"pay Ada\",\"tool_calls\":[{"
          "\"id\":\"c1\",\"function\":{\"name\":\"pay\",\"arguments\":"
          "\"{\\\"to\\\":\\\"Ada\\\"}\"}}]}}",
          "{\"message\":{\"role\":\"assistant\",\"content\":\"pay X\",\"tool_calls\":[{"
          "\"id\":\"c1\",\"function\":{\"name\":\"pay\",\"arguments\":"
          "\"[redacted:policy:#]\"}}]}}",
          "what a call would be made with is never another text: it is masked");
  answer_value = "{\"message\":{\"content\":\"pay Ada\",\"tool_calls\":[{\"function\":{"
                 "\"arguments\":\"{\\\"to\\\":\\\"[redacted:policy:0123456789ab]\\\"}\"}}]}}";
  becomes(CK_SINK_EVENT, NULL,
          "{\"message\":{\"role\":\"assistant\",\"content\":\"pay Ada\",\"tool_calls\":[{"
          "\"id\":\"c1\",\"function\":{\"name\":\"pay\",\"arguments\":"
          "\"{\\\"to\\\":\\\"Ada\\\"}\"}}]}}",
          "{\"message\":{\"role\":\"assistant\",\"content\":\"pay Ada\",\"tool_calls\":[{"
          "\"id\":\"c1\",\"function\":{\"name\":\"pay\",\"arguments\":"
          "\"{\\\"to\\\":\\\"[redacted:policy:#]\\\"}\"}}]}}",
          "a mask within it stays: the call is refused for it");
  event_kind = 0;
  answer_value = NULL;
}

static void test_hook(void) {
  static const char event[] = "{\"key\":\"main/a/tool/"
                              "1\",\"kind\":\"tool\",\"status\":\"ok\",\"message\":{\"role\":"
                              "\"tool\",\"tool_call_id\":\"c1\",\"content\":"
                              "\"mail\"},\"cost\":12345}";
  ck_redactor_set_hook(redactor, hook, &answer);
  answer = CK_REDACT_LEAVE;
  stays_as(CK_SINK_STATE, "memory.a", "[1]", "a policy may leave an item");
  answer = CK_REDACT_DROP;
  char *got = apply(CK_SINK_STATE, "memory.a", "[1]", NULL);
  tap_ok(!got, "a policy may drop an item");
  free(got);
  event_kind = CK_EVENT_OUTCOME;
  becomes(CK_SINK_EVENT, NULL, event,
          "{\"key\":\"main/a/tool/"
          "1\",\"kind\":\"tool\",\"status\":\"ok\",\"message\":{\"role\":\"tool\",\"tool_call_id\":"
          "\"c1\",\"content\":"
          "\"[redacted:policy:#]\"},\"cost\":12345}",
          "an event keeps its structure");
  event_kind = 0;
  answer = CK_REDACT_MASK;
  becomes(CK_SINK_STATE, "memory.a", "[1]", "\"[redacted:policy:#]\"", "a policy may mask an item");
  test_replaced();
  answer = CK_REDACT_REF;
  answer_ref = "env:KEY";
  becomes(CK_SINK_STATE, "memory.a", "\"x\"", "{\"$ckrun.ref\":\"env:KEY\"}",
          "a policy may leave a slot");
  stays_as(CK_SINK_REQUEST, NULL, "[1]", "policies are not asked about requests");
  answer_status = CK_E_POLICY;
  ck_value *value = NULL, *kept = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text("[1]"), NULL) == CK_OK, "a value");
  tap_is_status(ck_redactor_apply(&kept, redactor, CK_SINK_STATE, "memory.a", value, &err),
                CK_E_POLICY, NULL, "a policy may fail");
  tap_ok(!kept, "nothing is kept then");
  tap_is_text(err.text, "policy x line 3: no", "and its message passes on");
  ck_value_free(value);
  ck_redactor_set_hook(redactor, NULL, NULL);
  becomes(CK_SINK_STATE, "memory.a", "{\"$ckrun.ref\":\"env:HOME\"}", "\"[redacted:slot:#]\"",
          "nobody else makes slots");
  ck_buffer ref = {0};
  tap_ok(ck_redact_read_ref(&ref, ck_bytes_text("{\"$ckrun.ref\":\"env:KEY\"}")), "a slot is read");
  tap_is_bytes(ck_buffer_bytes(&ref), ck_bytes_text("env:KEY"), "and says its reference");
  tap_ok(!ck_redact_read_ref(&ref, ck_bytes_text("{\"$ckrun.ref\":\"env:KEY\",\"a\":1}")),
         "more than that is no slot");
  tap_ok(!ck_redact_read_ref(&ref, ck_bytes_text("\"[redacted:slot:0123456789ab]\"")),
         "nor is a placeholder");
  ck_buffer_clear(&ref);
}

static void test_masked(void) {
  char *got =
      apply(CK_SINK_REQUEST, NULL,
            "{\"name\":\"login\",\"arguments\":\"{\\\"password\\\":\\\"x\\\"}\",\"call_id\":\"c\"}",
            NULL);
  tap_ok(ck_redact_is_masked(ck_bytes_text(got)), "masked arguments are recognised");
  free(got);
  tap_ok(!ck_redact_is_masked(ck_bytes_text("{\"a\":\"[redacted:]\"}")),
         "what only looks so is not");
  static const char original[] =
      "{\"a\":\"{\\\"password\\\":\\\"x "
      "y\\\",\\\"pin\\\":1234}\",\"secret\":98765,\"b\":[1,\"hunter22\"]}";
  got = apply(CK_SINK_EVENT, NULL, original, NULL);
  tap_ok(ck_redact_matches(ck_bytes_text(got), ck_bytes_text(original)),
         "what was masked matches what it was");
  tap_ok(!ck_redact_matches(ck_bytes_text(got), (ck_bytes){original, strlen(original) - 1}),
         "but not less");
  tap_ok(!ck_redact_matches(ck_bytes_text(got), ck_bytes_text("x{\"a\":1,\"b\":[1,\"hunter22\"]}")),
         "nor another value");
  tap_ok(ck_redact_matches(ck_bytes_text("[1]"), ck_bytes_text("[1]")) &&
             !ck_redact_matches(ck_bytes_text("[1]"), ck_bytes_text("[1] ")),
         "without a placeholder only itself");
  free(got);
  char *one = apply(CK_SINK_EVENT, NULL, "{\"password\":\"hunter22\"}", NULL);
  char *other = apply(CK_SINK_STATE, "memory.password", "\"hunter22\"", NULL);
  tap_ok(one && other && strstr(one, other), "the same secret reads the same at every place");
  ck_redactor_set_fingerprint_key(redactor, (const uint8_t *)"another key of thirty-two bytes.");
  char *later = apply(CK_SINK_STATE, "memory.password", "\"hunter22\"", NULL);
  tap_ok(strcmp(other, later) != 0, "under another key it does not");
  ck_redactor_set_fingerprint_key(redactor, store_key);
  free(one);
  free(other);
  free(later);
}

static void test_text(void) {
  ck_buffer text = {0};
  for (int sink = CK_SINK_STATE; sink <= CK_SINK_EXPORT; sink++) {
    ck_buffer_reset(&text);
    ck_buffer_append_text(&text, "before: ");
    ck_bytes odd = {"a\x1b\n\0b \xff", 7};
    tap_is_status(ck_redactor_apply_text(&text, redactor, (ck_sink)sink, odd, NULL), CK_OK, NULL,
                  "sink %d takes text", sink);
    tap_is_bytes(ck_buffer_bytes(&text), (ck_bytes){"before: a\x1b\n\0b \xff", 15},
                 "sink %d appends it unchanged", sink);
    ck_buffer_reset(&text);
    tap_is_status(ck_redactor_apply_text(&text, redactor, (ck_sink)sink,
                                         ck_bytes_text("x " SECRET " y"), NULL),
                  CK_OK, NULL, "sink %d takes a secret", sink);
    tap_ok(fits(text.data, "x [redacted:open_ai:#] y"), "sink %d masks it", sink);
  }
  ck_buffer_reset(&text);
  tap_is_status(ck_redactor_apply_text(&text, redactor, CK_SINK_EVENT,
                                       ck_bytes_text("bad {\"a\":{\"password\": \"x1\"}"), NULL),
                CK_OK, NULL, "a text that is kept");
  tap_ok(fits(text.data, "bad {\"a\":{\"password\": \"[redacted:password:#]\"}"),
         "members of JSON in it are masked");
  text.failed = true;
  tap_is_status(ck_redactor_apply_text(&text, redactor, CK_SINK_LOG, ck_bytes_text("x"), NULL),
                CK_E_NO_MEMORY, NULL, "a buffer that failed is not passed off as whole");
  ck_buffer_clear(&text);
}

static void test_counts(void) {
  ck_redact_count count;
  uint64_t known = 0, passwords = 0;
  for (size_t i = 0; ck_redactor_count_at(&count, redactor, i); i++) {
    if (strcmp(count.family, "known") == 0) known = count.count;
    if (strcmp(count.family, "key") == 0 && strcmp(count.rule, "password") == 0)
      passwords = count.count;
  }
  tap_ok(known > 5 && passwords > 3, "what was found is counted by rule");
}

int main(void) {
  ck_value *kept = NULL;
  tap_is_status(ck_redactor_new(&redactor, NULL), CK_OK, NULL, "a redactor is made");
  ck_redactor_set_fingerprint_key(redactor, store_key);
  tap_is_status(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, NULL, NULL), CK_OK, NULL,
                "no value");
  tap_ok(kept == NULL, "stays none");
  test_names();
  test_excluded();
  test_ids();
  test_hook();
  test_masked();
  test_text();
  test_counts();
  ck_redactor_free(redactor);
  ck_redactor_free(NULL);
  return tap_done();
}
