/* test_tail_involves.c - an agent takes part in its own events, in those that name it as child, and
 * in delegations to it. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/tail/tail.h"
#include "tests/tap.h"

typedef struct sample {
  ck_event_kind kind;
  const char *own; /* the event's agent */
  const char *body;
  const char *agent;
  bool involved;
} sample;

static const sample samples[] = {
    {CK_EVENT_MESSAGE, "ann", "{}", "ann", true},
    {CK_EVENT_MESSAGE, "ann", "{}", "an", false},
    {CK_EVENT_MESSAGE, "ann", "{}", "anna", false},
    {CK_EVENT_MESSAGE, "ann", "{}", "Ann", false},
    {CK_EVENT_MESSAGE, NULL, "{\"message\":\"ann\"}", "ann", false},
    {CK_EVENT_MESSAGE, NULL, "{}", "", false},
    {CK_EVENT_MESSAGE, "", "{\"childAgentId\":\"\"}", "", false},
    {CK_EVENT_MESSAGE, NULL, "{\"childAgentId\":null}", NULL, false},
    {CK_EVENT_NOTE, "bob", "{\"childAgentId\":\"ann\"}", "ann", true},
    {CK_EVENT_NOTE, "bob", "{\"childAgentId\":\"ann\"}", "bob", true},
    {CK_EVENT_NOTE, "bob", "{\"childAgentId\":\"ann\"}", "eve", false},
    {CK_EVENT_NOTE, "bob", "{\"childAgentId\" : \"\\u0061nn\"}", "ann", true},
    {CK_EVENT_NOTE, "bob", "{\"child\\u0041gentId\":\"ann\"}", "ann", true},
    {CK_EVENT_NOTE, "bob", "{\"childAgentId\":\"a\\\"n\"}", "a\"n", true},
    {CK_EVENT_NOTE, "bob", "{\"childagentid\":\"ann\"}", "ann", false},
    {CK_EVENT_NOTE, "bob", "{\"x\":{\"childAgentId\":\"ann\"}}", "ann", false},
    {CK_EVENT_NOTE, "bob", "{\"x\":\"\\\"childAgentId\\\":\\\"ann\\\"\"}", "ann", false},
    {CK_EVENT_NOTE, "bob", "{\"childAgentId\":[\"ann\"]}", "ann", false},
    {CK_EVENT_NOTE, "bob", "{\"target\":\"ann\",\"targets\":[\"ann\"]}", "ann", false},
    {CK_EVENT_OUTCOME, "bob", "{\"childAgentId\":\"ann\"}", "ann", false},
    {CK_EVENT_UPDATE, "bob", "{\"childAgentId\":\"ann\"}", "ann", true},
    {CK_EVENT_UPDATE, "bob", "{\"update\":{\"text\":\"x\"}}", "bob", true},
    {CK_EVENT_UPDATE, "bob", "{\"update\":{\"text\":\"ann\"}}", "ann", false},
    {CK_EVENT_UPDATE, "bob", "{\"childAgentId\":\"eve\"}", "ann", false},
    {CK_EVENT_DELEGATION, "bob", "{\"childAgentId\":\"ann\"}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"ann\"}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"ann\"}", "bob", true},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"ann\"}", "eve", false},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"anna\"}", "ann", false},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":[\"eve\",\"ann\"]}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"targets\":[\"eve\",\"ann\"]}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"targets\":\"ann\"}", "ann", true},
    {CK_EVENT_DELEGATION, "bob",
     "{\"parallel\":[{\"agent\":\"eve\"},{\"agent\":\"ann\",\"message\":\"x\"}]}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"sequential\":[{\"target\":\"ann\"}]}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"sequential\":[1,null,{\"agentId\":\"ann\"}]}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":{\"agent\":\"ann\"}}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"eve\",\"message\":\"ann\"}", "ann", false},
    {CK_EVENT_DELEGATION, "bob", "{\"parallel\":[{\"agent\":\"eve\",\"message\":\"ann\"}]}", "ann",
     false},
    {CK_EVENT_DELEGATION, "bob", "{\"parallel\":[{\"agent\":{\"agent\":\"ann\"}}]}", "ann", false},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"\\u0061nn\"}", "ann", true},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":\"\"}", "", false},
    {CK_EVENT_DELEGATION, "bob", "{\"target\":[]}", "ann", false},
};

static void test_involves(void) {
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    const sample *at = &samples[i];
    ck_value *body = NULL;
    if (ck_value_new(&body, ck_bytes_text(at->body), NULL) != CK_OK) abort();
    ck_event event = {1, 1, at->kind, 0, "main", at->own, body, {NULL, 0}};
    tap_ok(ck_tail_involves(&event, at->agent) == at->involved, "%s of %s with %s: %s %s",
           ck_event_kind_name(at->kind), at->own ? at->own : "none", at->body,
           at->agent ? at->agent : "NULL", at->involved ? "took part" : "did not");
    ck_value_free(body);
  }
}

int main(void) {
  test_involves();
  return tap_done();
}
