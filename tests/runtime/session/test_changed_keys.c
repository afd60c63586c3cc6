/* test_changed_keys.c - which keys count as changed since the last checkpoint: those that would be
 * written otherwise than they are, and the checkpoint holds no others. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/boundary.h"
#include "core/runtime/session/session_private.h"
#include "tests/tap.h"

static ck_runtime *runtime;
static bool takes;     /* the next boundary is a checkpoint */
static char seen[512]; /* what the policy was shown there: the names, as JSON */
static int64_t seen_keys;

static ck_status decide(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  ck_buffer list = {0};
  (void)self;
  *out = (ck_decision){.take = takes};
  ck_status status = ck_changed_keys_write(&list, at->since.changed, false, err);
  snprintf(seen, sizeof seen, "%s", list.len ? list.data : "[]");
  seen_keys = at->since.changed_keys;
  ck_buffer_clear(&list);
  return status;
}

static ck_status redact(ck_redaction *out, void *self, const ck_item *item, ck_error *err) {
  (void)self, (void)err;
  bool mask = item->key && strcmp(item->key, "memory.card") == 0,
       drop = item->key && strcmp(item->key, "memory.note") == 0;
  *out = (ck_redaction){.verdict = mask ? CK_REDACT_MASK : drop ? CK_REDACT_DROP : CK_REDACT_LEAVE};
  return CK_OK;
}

static const ck_policy_engine policies = {.checkpoint = decide, .redact = redact};

/* NULL: removes it. */
static void put(ck_session *session, const char *key, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = NULL;
  if (json)
    tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "value: %s", err.text);
  tap_must(ck_session_put(session, key, value, &err) == CK_OK, "put: %s", err.text);
  ck_value_free(value);
}

static void expect(ck_session *session, bool take, const char *names, const char *why) {
  ck_error err = CK_ERROR_INIT;
  ck_saved saved;
  takes = take;
  tap_must(ck_session_boundary(&saved, session,
                               &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main"},
                               &err) == CK_OK,
           "boundary: %s", err.text);
  tap_is_text(seen, names, "%s", why);
  int64_t count = 0;
  for (const char *at = names; (at = strchr(at, '"')); at++) count++;
  tap_is_int(seen_keys, count / 2, "%s: and so many", why);
}

static ck_session *start(const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_session_options options = {.id = id, .policies = &policies};
  tap_must(ck_session_start(&session, runtime, &options, &err) == CK_OK, "start: %s", err.text);
  return session;
}

static void test_values(ck_session *s) {
  expect(s, true, "[]", "a new session");
  put(s, "memory.plan", "\"a\"");
  put(s, "outputs.x", "1");
  expect(s, true, "[\"memory.plan\",\"outputs.x\"]", "new keys");
  put(s, "memory.plan", "\"a\"");
  put(s, "outputs.x", "1");
  tap_is_int((int64_t)ck_state_count(s->changes.keys), 0, "a checkpoint would hold none");
  expect(s, true, "[]", "the same values again");
  put(s, "memory.plan", "\"b\"");
  put(s, "memory.plan", "\"a\"");
  put(s, "memory.none", NULL);
  expect(s, false, "[\"memory.plan\"]", "another value for a moment, and a key that was not there");
  expect(s, true, "[\"memory.plan\"]", "without a checkpoint it stays changed");
  put(s, "memory.plan", NULL);
  expect(s, false, "[\"memory.plan\"]", "a removal");
  put(s, "memory.plan", NULL);
  put(s, "outputs.x", "2");
  expect(s, true, "[\"memory.plan\",\"outputs.x\"]", "removed twice");
  put(s, "position.main", "{}");
  put(s, "spending", "{}");
  expect(s, false, "[]", "what the runtime keeps for itself");
  put(s, "limits.budget_usd", "2");
  put(s, "limited", "2");
  expect(s, true, "[\"limited\"]", "and what only begins like it");
}

static void test_branches(ck_session *s) {
  put(s, "memory.n", "1");
  put(s, "memory.m", "1");
  expect(s, true, "[\"memory.m\",\"memory.n\"]", "before a fork");
  put(s, "branch.main.left/memory.n", "1");
  expect(s, false, "[]", "a forked scope writes what is there");
  put(s, "branch.main.left/memory.n", "2");
  expect(s, true, "[\"memory.n\"]", "and another value: by the key's own name");
  put(s, "branch.main.left.in/memory.n", "2");
  put(s, "branch.main.left.in/memory.m", "1");
  put(s, "branch.main.right/memory.n", "1");
  expect(s, true, "[]", "scopes in it and beside it see each their own");
  put(s, "branch.main.left.in/memory.m", "null");
  put(s, "branch.main.right.in/memory.n", "2");
  expect(s, true, "[\"memory.m\",\"memory.n\"]", "and change it there");
  put(s, "branch.main.left/memory.n", NULL);
  put(s, "branch.main.right/memory.n", NULL);
  expect(s, false, "[]", "that they are over changes nothing");
  put(s, "memory.n", "2");
  expect(s, true, "[\"memory.n\"]", "what they leave does");
}

/* What is not in the store does not show by its changes, either. */
static void test_masked(ck_session *s) {
  put(s, "memory.card", "\"4111\"");
  put(s, "memory.note", "\"correct horse\"");
  expect(s, true, "[\"memory.card\"]", "a masked key, and one that is dropped");
  put(s, "memory.card", "\"4222\"");
  put(s, "memory.note", "\"battery\"");
  expect(s, true, "[]", "other values of these");
  put(s, "memory.card", NULL);
  expect(s, true, "[\"memory.card\"]", "it is gone");
}

static void test_resumed(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session *s;
  ck_resume_options options = {.policies = &policies};
  tap_must(ck_session_resume(&s, runtime, "s", &options, &err) == CK_OK, "resume: %s", err.text);
  put(s, "memory.n", "2");
  put(s, "outputs.x", "2");
  expect(s, false, "[]", "a resumed session writes what its checkpoint has");
  put(s, "memory.n", "3");
  expect(s, false, "[\"memory.n\"]", "and something else");
  ck_session_close(s);
  tap_must(ck_session_resume(&s, runtime, "s", &options, &err) == CK_OK, "resume: %s", err.text);
  expect(s, false, "[]", "a resume forgets what no checkpoint has");
  put(s, "memory.n", "3");
  expect(s, false, "[\"memory.n\"]", "and sees it again");
  ck_session_close(s);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "open: %s", err.text);
  ck_session *s = start("s");
  test_values(s);
  test_branches(s);
  test_masked(s);
  ck_session_close(s);
  test_resumed();
  ck_runtime_close(runtime);
  return tap_done();
}
