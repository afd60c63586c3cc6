/* test_content.c - what a policy is shown of events and keys is content; what it changes reaches
 * nothing else. */
#include "core/model/content.h"
#include "tests/tap.h"

static ck_value *value_of(const char *json) {
  ck_value *value = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "a value: %s", err.text);
  return value;
}

/* `content` NULL: nothing is shown. */
static void shows(ck_content_of of, const char *whole, const char *content, const char *promise) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = value_of(whole), *picked = NULL, *back = NULL;
  tap_is_status(ck_content_pick(&picked, of, value, &err), CK_OK, &err, promise);
  if (!content)
    tap_ok(!picked, "%s: nothing is shown", promise);
  else
    tap_is_bytes(picked ? ck_value_bytes(picked) : ck_bytes_text(""), ck_bytes_text(content),
                 promise);
  if (picked) {
    tap_is_status(ck_content_put(&back, of, value, picked, &err), CK_OK, &err, "it is put back");
    tap_is_bytes(ck_value_bytes(back), ck_bytes_text(whole), "unchanged, all is as it was");
  }
  ck_value_free(back);
  ck_value_free(picked);
  ck_value_free(value);
}

static void puts_back(ck_content_of of, const char *whole, const char *changed, const char *want,
                      const char *promise) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = value_of(whole), *by = value_of(changed), *out = NULL;
  tap_is_status(ck_content_put(&out, of, value, by, &err), CK_OK, &err, promise);
  tap_is_bytes(ck_value_bytes(out), ck_bytes_text(want), promise);
  ck_value_free(out);
  ck_value_free(by);
  ck_value_free(value);
}

static const ck_content_of message = {.kind = CK_EVENT_MESSAGE}, outcome = {CK_EVENT_OUTCOME, NULL},
                           intent = {.kind = CK_EVENT_INTENT};

static void test_events(void) {
  shows(message,
        "{\"message\":{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"name\":\"stock\",\"content\":"
        "\"3\"},\"report\":true}",
        "{\"message\":{\"content\":\"3\"}}", "of a message what it says");
  shows(message,
        "{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\","
        "\"type\":\"function\",\"function\":{\"name\":\"stock\",\"arguments\":\"{}\"}}]}}",
        "{\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"}}]}}",
        "of a call its arguments");
  shows(outcome,
        "{\"key\":\"k\",\"status\":\"ok\",\"for\":[\"alice\"],\"result\":{\"name\":\"Ada\","
        "\"spill\":{\"stdout\":\"/x\"}},\"cost\":5}",
        "{\"result\":{\"name\":\"Ada\"}}", "of an outcome its result, not who pays");
  shows(outcome, "{\"key\":\"k\",\"list\":true,\"result\":[{\"name\":\"stock\"}]}", NULL,
        "of a server's list of tools");
  shows(outcome, "{\"key\":\"main/a/join/1\",\"result\":[\"a\"]}", NULL, "of a join's scopes");
  shows((ck_content_of){.kind = CK_EVENT_RESOLUTION},
        "{\"key\":\"main/a/model/1/limit/1\",\"verdict\":\"done\",\"result\":\"5\"}", NULL,
        "of the answer to a limit");
  shows((ck_content_of){.kind = CK_EVENT_RESOLUTION},
        "{\"key\":\"main/a/exec/1/permit\",\"verdict\":\"done\",\"result\":\"allow\"}", NULL,
        "of a person's word that an effect may begin");
  shows(outcome, "{\"key\":\"main/a/exec/1/permit\",\"status\":\"ended\",\"result\":\"deny\"}",
        NULL, "nor where it is taken");
  shows(outcome, "{\"key\":\"main/permit/exec/1\",\"status\":\"ok\",\"result\":\"deny\"}",
        "{\"result\":\"deny\"}", "a node may have any name");
  shows(outcome,
        "{\"key\":\"k\",\"status\":\"error\",\"denied\":{\"by\":\"policy\",\"policies\":\"p\","
        "\"reason\":\"r\",\"class\":\"once\",\"request\":{\"name\":\"send\",\"arguments\":{}}}}",
        "{\"denied\":{\"reason\":\"r\",\"request\":{\"arguments\":{}}}}",
        "of a denial why, and of what");
  shows(intent,
        "{\"key\":\"k\",\"kind\":\"tool\",\"class\":\"once\",\"request\":{\"name\":\"stock\","
        "\"arguments\":{\"name\":\"Ada\"}}}",
        "{\"request\":{\"arguments\":{\"name\":\"Ada\"}}}", "of a request what is asked");
  shows((ck_content_of){.kind = CK_EVENT_SESSION_STARTED},
        "{\"directory\":\"/x\",\"profile\":\"p\",\"input\":\"hello\"}", "{\"input\":\"hello\"}",
        "of a start its input");
  shows((ck_content_of){.kind = CK_EVENT_DELEGATION},
        "{\"id\":\"1.1\",\"target\":\"alice\",\"message\":\"go\"}", "{\"message\":\"go\"}",
        "of a delegation its message");
  shows((ck_content_of){.kind = CK_EVENT_BOUNDARY},
        "{\"kind\":\"tool_round\",\"node\":\"a\",\"reasons\":[{\"policy\":\"p\",\"version\":1,"
        "\"reason\":\"r\"}]}",
        "{\"reasons\":[{\"version\":1,\"reason\":\"r\"}]}", "of a boundary the reasons");
  shows((ck_content_of){.kind = CK_EVENT_BOUNDARY},
        "{\"kind\":\"failure\",\"node\":\"n\",\"last_error\":\"Ada is away\"}",
        "{\"last_error\":\"Ada is away\"}", "of a boundary what failed before it");
  static const ck_event_kind none[] = {CK_EVENT_REPLAY,          CK_EVENT_DIVERGENCE,
                                       CK_EVENT_PRUNE,           CK_EVENT_CONSTRAINT,
                                       CK_EVENT_SESSION_RESUMED, CK_EVENT_SESSION_FORKED,
                                       CK_EVENT_SESSION_REWOUND};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    shows((ck_content_of){.kind = none[i]}, "{\"agent\":\"alice\",\"recorded\":\"x\"}", NULL,
          ck_event_kind_name(none[i]));
}

static void test_keys(void) {
  static const char position[] =
      "{\"cut\":4,\"at\":{\"path\":\"a\"},\"agent\":\"alice\",\"task\":{\"agent\":\"alice\","
      "\"message\":\"go\"},\"done\":true,\"result\":\"her card\"}";
  shows((ck_content_of){.key = "memory.x"}, "{\"name\":\"Ada\"}", "{\"name\":\"Ada\"}",
        "of memory all");
  shows((ck_content_of){.key = "ended.main"}, "\"over\"", "\"over\"", "of a result all");
  shows((ck_content_of){.key = "position.main.a"}, position,
        "{\"task\":{\"message\":\"go\"},\"result\":\"her card\"}",
        "of a position what was asked and what came");
  shows((ck_content_of){.key = "position.main"}, "{\"cut\":4,\"at\":{\"path\":\"a\"}}", NULL,
        "of a position without these");
  shows((ck_content_of){.key = "spending"}, "{\"alice\":{\"usd\":1}}", NULL,
        "of what the runtime keeps");
  puts_back((ck_content_of){.key = "position.main.a"}, position,
            "{\"task\":{\"message\":\"M\"},\"result\":\"R\"}",
            "{\"cut\":4,\"at\":{\"path\":\"a\"},\"agent\":\"alice\",\"task\":{\"agent\":\"alice\","
            "\"message\":\"M\"},\"done\":true,\"result\":\"R\"}",
            "a change reaches the content");
}

static void test_changes(void) {
  puts_back(message,
            "{ \"message\" : {\"role\":\"tool\",\"name\":\"stock\",\"content\":[{\"type\":\"text\","
            "\"text\":\"a\"},1]},\"report\":true}",
            "{\"message\":{\"content\":[{\"text\":\"M\"},2]}}",
            "{\"message\":{\"role\":\"tool\",\"name\":\"stock\",\"content\":[{\"type\":\"text\","
            "\"text\":\"M\"},2]},\"report\":true}",
            "a change reaches each text, and nothing beside it");
  shows((ck_content_of){0}, "{\"role\":\"x\"}", "{\"role\":\"x\"}", "of an unknown event all");
}

int main(void) {
  test_events();
  test_keys();
  test_changes();
  return tap_done();
}
