/* test_acp_permissions.c - permissions of agents: by a rule, or by whoever the session asks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <uv.h>

#include "tests/effect/acp/acp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

/* ---- permissions ---- */

static void permits(const char *prompt, ck_permit rule, const char *kind, const char *want) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  it.rule = rule;
  const ck_outcome *outcome = acp_fixture_prompt(&it, prompt, NULL);
  tap_is_text(acp_fixture_result(outcome, "text"), want, "%s: what the agent hears", prompt);
  tap_is_text(it.kind, kind, "%s: the kind that the rule was asked for", prompt);
  tap_ok(strstr(it.updates.data, "{\"permission\":{\"call\":\"c") &&
             strstr(it.updates.data, "\"by\":\"rule\""),
         "%s: it is told who decided", prompt);
  acp_fixture_close(&it);
}

#define SELECTED(option) "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" option "\"}}"
#define CANCELLED "{\"outcome\":{\"outcome\":\"cancelled\"}}"

static void test_rules(void) {
  permits("permit execute", CK_PERMIT_ALLOW, "execute", SELECTED("yes"));
  permits("permit execute", CK_PERMIT_REJECT, "execute", SELECTED("no"));
  permits("edit", CK_PERMIT_ALLOW, "edit", SELECTED("yes"));
  permits("permit none", CK_PERMIT_REJECT, "other", SELECTED("no"));
  permits("no-options", CK_PERMIT_ALLOW, "other", CANCELLED);
}

/* Outside of a session nobody keeps the question. */
static void test_nobody(void) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  it.rule = CK_PERMIT_ASK;
  const ck_outcome *outcome = acp_fixture_prompt(&it, "edit", NULL);
  tap_is_text(ck_outcome_status_name(outcome->status), "failed", "nobody asks: it is cancelled");
  tap_is_int(outcome->error_status, CK_E_WAITING, "it waits");
  tap_ok(strstr(outcome->error, "permissions.edit") != NULL, "and says for what (%s)",
         outcome->error);
  it.rule = CK_PERMIT_ALLOW;
  tap_ok(acp_fixture_prompt(&it, "hello", NULL)->status == CK_OUTCOME_OK,
         "the agent is there for the next turn");
  acp_fixture_close(&it);
}

/* More questions at once than a person could answer are rejected, not kept. */
static void test_many(void) {
  acp_fixture it;
  ck_effect_run *run;
  acp_fixture_begin(&it, NULL);
  acp_fixture_ask_session(&it);
  it.silent = true;
  acp_fixture_open_driver(&it);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "beg", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.updates.len || !strstr(it.updates.data, "working"))
    uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  tap_is_int(it.asked, 64, "of a thousand questions a person gets so many");
  acp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  acp_fixture_init(loop);
  test_rules();
  test_nobody();
  test_many();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
