/* test_tail_involved.c - a tail holds what its agent took part in, and nothing of another's; the
 * same as the core's own rule. */
#include "core/runtime/session/tail/tail.h"
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const struct {
  const char *options;
  ck_event_kind kind;
  const char *agent, *body;
  bool in;
} rows[] = {
    {NULL, CK_EVENT_MESSAGE, "a", "{}", true},
    {NULL, CK_EVENT_MESSAGE, "b", "{}", false},
    {NULL, CK_EVENT_MESSAGE, NULL, "{\"agent\":\"a\"}", false},
    {NULL, CK_EVENT_NOTE, "b", "{\"file\":\"/a\",\"path\":\"a\"}", false},
    {NULL, CK_EVENT_NOTE, "b", "{\"childAgentId\":\"a\"}", true},
    {NULL, CK_EVENT_NOTE, "b", "{\"childAgentId\":[\"a\"]}", false},
    {NULL, CK_EVENT_NOTE, "b", "{\"target\":\"a\"}", false},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"target\":\"a\"}", true},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"target\":\"ab\"}", false},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"target\":[\"c\",\"a\"]}", true},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"targets\":[\"c\",\"a\"]}", true},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"parallel\":[{\"agent\":\"a\"}]}", true},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"sequential\":[{\"target\":\"c\"},{\"agentId\":\"a\"}]}",
     true},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"sequential\":[{\"name\":\"a\"}],\"message\":\"a\"}",
     false},
    {NULL, CK_EVENT_DELEGATION, "b", "{\"target\":{\"agent\":\"a\"}}", true},
    {NULL, CK_EVENT_DELEGATION, "a", "{\"target\":\"b\"}", true},
    {"{\"children\":false}", CK_EVENT_NOTE, "b", "{\"childAgentId\":\"a\"}", false},
    {"{\"delegations\":false}", CK_EVENT_DELEGATION, "b", "{\"target\":\"a\"}", false},
    {"{\"delegations\":false,\"children\":false}", CK_EVENT_MESSAGE, "a", "{}", true},
};

int main(void) {
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_policy_engine engine = policy_case_open("tail_involved", rows[i].options);
    ck_value *body;
    bool in = !rows[i].in;
    ck_answers said;
    tap_must(ck_value_new(&body, ck_bytes_text(rows[i].body), &err) == CK_OK, "a body: %s",
             err.text);
    ck_event event = {.seq = 1,
                      .timeline = 1,
                      .kind = rows[i].kind,
                      .scope = "main",
                      .agent = rows[i].agent,
                      .body = body};
    tap_is_status(engine.tail(&in, &said, engine.self, &event, "a", &err), CK_OK, &err,
                  "an event %s of %s", rows[i].body, rows[i].agent ? rows[i].agent : "nobody");
    tap_ok(in == rows[i].in, "is %sin the tail of a", rows[i].in ? "" : "not ");
    if (!rows[i].options) tap_ok(ck_tail_involves(&event, "a") == rows[i].in, "as the core has it");
    ck_value_free(body);
    engine.free(engine.self);
  }
  return tap_done();
}
