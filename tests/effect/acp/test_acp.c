/* test_acp.c - agents: prompts, updates, cancels; and misbehaving agents. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <uv.h>

#include "tests/effect/acp/acp_fixture.h"
#include "tests/tap.h"

enum { LONG_MS = 600000 };

static ck_loop *loop;

/* ---- a turn ---- */

static void test_turn(void) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  const ck_outcome *outcome = acp_fixture_prompt(&it, "hello", NULL);
  tap_ok(outcome->status == CK_OUTCOME_OK, "a turn is done");
  tap_is_text(acp_fixture_result(outcome, "text"), "Hello, world.", "what the agent said");
  tap_is_text(acp_fixture_result(outcome, "stop_reason"), "end_turn", "why it stopped");
  tap_is_text(acp_fixture_result(outcome, "updates"), "8", "how much it told");
  tap_ok(strlen(acp_fixture_result(outcome, "session_id")) > 2, "its session");
  tap_is_int(outcome->cost_micros, -1, "what it cost is not known");
  static const char *const received[] = {"agent_thought_chunk",
                                         "agent_message_chunk",
                                         "\"plan\",\"entries\":[]",
                                         "tool_call\"",
                                         "tool_call_update",
                                         "image/png",
                                         "some_day"};
  for (size_t i = 0; i < sizeof received / sizeof *received; i++)
    tap_ok(strstr(it.updates.data, received[i]) != NULL, "%s is told", received[i]);
  tap_ok(!strstr(it.updates.data, "{\"sessionUpdate\":\"plan\"}"),
         "what belongs to another session is not");
  acp_fixture_close(&it);
}

static void test_sessions(void) {
  acp_fixture it;
  char first[64], second[64];
  acp_fixture_open(&it, NULL);
  snprintf(first, sizeof first, "%s",
           acp_fixture_result(acp_fixture_prompt(&it, "pid", NULL), "session_id"));
  snprintf(second, sizeof second, "%s",
           acp_fixture_result(acp_fixture_prompt(&it, "pid", NULL), "session_id"));
  tap_ok(strcmp(first, second) != 0 && atoi(first + 1) == atoi(second + 1),
         "a turn of its own has a session of its own, in one process");
  snprintf(second, sizeof second, "%s",
           acp_fixture_result(acp_fixture_prompt(&it, "pid", first), "session_id"));
  tap_is_text(second, first, "a session can be gone on with");
  snprintf(second, sizeof second, "%s",
           acp_fixture_result(acp_fixture_prompt(&it, "pid", "s1-1"), "session_id"));
  tap_ok(strcmp(second, "s1-1") != 0, "one that the agent cannot load is begun anew");
  acp_fixture_close(&it);

  acp_fixture_open(&it, "loads");
  const ck_outcome *outcome = acp_fixture_prompt(&it, "hello", "s1-1");
  tap_is_text(acp_fixture_result(outcome, "session_id"), "s1-1", "one that it can load is loaded");
  tap_is_text(acp_fixture_result(outcome, "text"), "Hello, world.",
              "what it said before is not said again");
  tap_is_text(acp_fixture_result(outcome, "updates"), "8", "nor told");
  outcome = acp_fixture_prompt(&it, "hello", "lost-1");
  tap_ok(outcome->status == CK_OUTCOME_OK &&
             strcmp(acp_fixture_result(outcome, "session_id"), "lost-1") != 0,
         "one that it has lost is begun anew");
  acp_fixture_close(&it);
}

static void test_tail(void) {
  acp_fixture it;
  ck_value *tail;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&tail, ck_bytes_text("\"what was before\""), &err) == CK_OK, "tail");
  acp_fixture_open(&it, NULL);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "blocks", NULL);
  it.effect.tail = tail;
  const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
  tap_is_text(acp_fixture_result(outcome, "text"), "2 what was before",
              "a session that is new to the agent is told what was before it");
  char session[64];
  snprintf(session, sizeof session, "%s", acp_fixture_result(outcome, "session_id"));
  acp_fixture_set(&it, CK_EFFECT_ONCE, "blocks", session);
  it.effect.tail = tail;
  outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
  tap_is_text(acp_fixture_result(outcome, "text"), "1 blocks", "one that it knows is not");
  acp_fixture_close(&it);
  ck_value_free(tail);
}

/* A try of the same turn was interrupted, in another process. */
static void test_interrupted(const char *mode, const char *session, const char *text) {
  acp_fixture it;
  ck_value *known;
  tap_must(ck_value_new(&known,
                        ck_bytes_text("{\"session\":\"s1-1\",\"calls\":[{\"title\":\"Look\"},"
                                      "{},5,{\"title\":7}]}"),
                        NULL) == CK_OK,
           "what is known");
  acp_fixture_open(&it, mode);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "blocks", "lost-1");
  it.effect.interrupted = known;
  const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
  bool same = strcmp(acp_fixture_result(outcome, "session_id"), "s1-1") == 0;
  tap_ok(same == (session != NULL), "%s: an interrupted turn goes on in its session, if it can",
         mode);
  tap_is_text(acp_fixture_result(outcome, "text"), text, "%s: told what became of it", mode);
  tap_ok(strstr(it.updates.data, "{\"session\":{\"id\":\"") == it.updates.data,
         "%s: its session is told before all", mode);
  acp_fixture_close(&it);
  ck_value_free(known);
}

static void test_content(void) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "", NULL);
  it.effect.request = ck_bytes_text(
      "{\"process\":\"coder\",\"prompt\":[{\"type\":\"text\",\n\"text\":\"hello\"}]}");
  tap_is_text(acp_fixture_result(drive_effect(&it.drive, it.driver, &it.effect, false), "text"),
              "Hello, world.", "a prompt may be a list of content blocks");
  static const char *const bad[] = {"{\"process\":\"coder\"}",
                                    "{\"process\":\"coder\",\"prompt\":{}}",
                                    "{\"process\":\"coder\",\"prompt\":\"x\",\"session\":5}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_effect_run *run;
    it.effect.request = ck_bytes_text(bad[i]);
    tap_is_status(drive_begin(&run, &it.drive, it.driver, &it.effect, false), CK_E_TYPE, NULL,
                  "%s is refused", bad[i]);
  }
  it.effect.request = ck_bytes_text("{\"process\":\"cider\",\"prompt\":\"x\"}");
  tap_ok(!it.driver->serves(it.driver->self, &it.effect), "another agent is not served");
  acp_fixture_close(&it);
}

static void test_cost(void) {
  acp_fixture it;
  char session[64];
  acp_fixture_open(&it, NULL);
  const ck_outcome *outcome = acp_fixture_prompt(&it, "cost", NULL);
  tap_is_int(outcome->cost_micros, 250000, "an agent may tell what a turn cost");
  snprintf(session, sizeof session, "%s", acp_fixture_result(outcome, "session_id"));
  tap_is_int(acp_fixture_prompt(&it, "cost", session)->cost_micros, 250000,
             "it tells the sum of a session's turns; only the new part counts");
  tap_is_int(acp_fixture_prompt(&it, "cost EUR", NULL)->cost_micros, -1,
             "what is not in dollars is not known");
  acp_fixture_close(&it);
}

static void test_errors(void) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  const ck_outcome *outcome = acp_fixture_prompt(&it, "refuse", NULL);
  tap_ok(outcome->status == CK_OUTCOME_ERROR, "an agent that refuses a prompt");
  tap_is_text(outcome->error, "the agent 'coder': no model today (error -32603)", "is told");
  outcome = acp_fixture_prompt(&it, "refuse-why", NULL);
  tap_is_text(outcome->error,
              "the agent 'coder': Internal error (error -32603): {\"details\":\"API Error: 401\","
              "\"more\":\"\"}",
              "so is what it knows of the cause");
  char much[1200] = "refuse-why ";
  memset(much + 11, 'x', sizeof much - 12);
  outcome = acp_fixture_prompt(&it, much, NULL);
  tap_ok(strlen(outcome->error) < 600, "not without end (%zu bytes)", strlen(outcome->error));
  outcome = acp_fixture_prompt(&it, "terminal", NULL);
  tap_ok(strstr(acp_fixture_result(outcome, "text"), "offers neither files nor terminals"),
         "a terminal is refused");
  acp_fixture_close(&it);
}

/* ---- ends ---- */

/* `stop_reason`: of a turn that reported its end; `interrupted`: it was cancelled before its
 * end. */
static void test_cancel(const char *prompt, ck_effect_class class, ck_outcome_status want,
                        const char *stop_reason, const char *interrupted) {
  acp_fixture it;
  ck_effect_run *run;
  acp_fixture_begin(&it, NULL);
  it.options.cancel_ms = strcmp(prompt, "hang deaf") == 0 ? ACP_SCENE_SHORT_MS : LONG_MS;
  acp_fixture_open_driver(&it);
  acp_fixture_set(&it, class, prompt, NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.updates.len) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  it.driver->cancel(it.driver->self, run);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_is_text(ck_outcome_status_name(it.drive.outcome->status), ck_outcome_status_name(want),
              "'%s' (%s), cancelled", prompt, ck_effect_class_name(class));
  if (want != CK_OUTCOME_OK)
    tap_is_int(it.drive.outcome->error_status, CK_E_INTERRUPTED, "its class (%s)",
               it.drive.outcome->error);
  tap_is_text(acp_fixture_result(it.drive.outcome, "stop_reason"), stop_reason, "how it ended");
  tap_is_text(acp_fixture_result(it.drive.outcome, "interrupted"), interrupted,
              "whether it was broken off");
  tap_ok(acp_fixture_prompt(&it, "hello", NULL)->status == CK_OUTCOME_OK, "the next turn is done");
  acp_fixture_close(&it);
}

static void test_cancel_at_once(void) {
  acp_fixture it;
  ck_effect_run *run;
  acp_fixture_open(&it, NULL);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "hang", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_ok(it.drive.outcome->status == CK_OUTCOME_ABSENT &&
             it.drive.outcome->error_status == CK_E_INTERRUPTED,
         "what was not sent did not happen");
  acp_fixture_close(&it);
}

/* Cancelled while a person thinks. */
static void test_cancel_question(void) {
  acp_fixture it;
  ck_effect_run *run;
  acp_fixture_begin(&it, NULL);
  acp_fixture_ask_session(&it);
  it.silent = true;
  acp_fixture_open_driver(&it);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "edit", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.asked) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_ok(it.drive.outcome->status == CK_OUTCOME_OK && it.dropped == 1,
         "a question that is open is dropped with its turn");
  acp_fixture_close(&it);
}

/* The outcome lives until the fixture is closed. */
static const ck_outcome *end_one(acp_fixture *it, const char *mode, const char *prompt,
                                 ck_effect_class class, int64_t ms) {
  acp_fixture_begin(it, mode);
  if (strcmp(prompt, "hang deaf") == 0) it->options.cancel_ms = ACP_SCENE_SHORT_MS;
  if (strcmp(mode, "mute") == 0) it->options.service.start_ms = ACP_SCENE_SHORT_MS;
  if (strncmp(prompt, "hang", 4) == 0) it->process.timeout_ms = ms;
  acp_fixture_open_driver(it);
  acp_fixture_set(it, class, prompt, NULL);
  return drive_effect(&it->drive, it->driver, &it->effect, false);
}

/* The time of one that hangs is doubled until it has got as far as to be asked, on a machine of any
 * speed. */
static void ends(const char *mode, const char *prompt, ck_effect_class class,
                 ck_outcome_status want, const char *say_why) {
  acp_fixture it;
  int64_t ms = ACP_SCENE_SHORT_MS;
  const ck_outcome *outcome = end_one(&it, mode, prompt, class, ms);
  while (strncmp(prompt, "hang", 4) == 0 && outcome->status != want && ms < LONG_MS / 10) {
    acp_fixture_close(&it);
    outcome = end_one(&it, mode, prompt, class, ms *= 2);
  }
  tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(want), "%s, %s, %s",
              mode, prompt, ck_effect_class_name(class));
  tap_ok(strstr(outcome->error, say_why) != NULL, "it says why (%s)", outcome->error);
  acp_fixture_close(&it);
}

static void test_manners(void) {
  ends("babble", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED,
       "the agent 'coder': it wrote a line that is no JSON: \"Welcome to the agent!\"");
  ends("mute", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "it does not take part");
  ends("future", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED,
       "it speaks version 2 of the protocol; 1 is understood");
  ends("locked", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED,
       "the agent 'coder': log in first (error -32000); log in, then resume; "
       "it offers: Log in (run: coder login), API key");
  ends("no-session", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "a session without an id");
  ends("good", "die", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN,
       "it ended with exit status 3; its last words: ");
  ends("good", "die", CK_EFFECT_PURE, CK_OUTCOME_UNKNOWN, "out of luck");
  ends("good", "blurt", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN,
       "no JSON: \"Thinking about \\\"it\\\"...\\u001b[1m\"");
  ends("good", "blurt", CK_EFFECT_IDEMPOTENT, CK_OUTCOME_UNKNOWN, "no JSON: \"Thinking about");
  ends("good", "flood", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN,
       "it told more than is kept of one turn");
  ends("good", "reasonless", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN,
       "the agent 'coder' ended its turn without saying why");
  ends("good", "hang", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN,
       "the agent 'coder' did not answer within");
  ends("good", "hang deaf", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN,
       "the agent 'coder' did not answer within");
}

/* The prompt of a turn, whose last part is the text "see", as the agent had it, or why not. */
static void sees(const char *mode, const char *parts, const char *want) {
  acp_fixture it;
  acp_fixture_open(&it, mode);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "", NULL);
  ck_buffer_reset(&it.request);
  ck_buffer_append_format(&it.request,
                          "{\"process\":\"coder\",\"prompt\":[%s,{\"type\":\"text\",\"text\":"
                          "\"see\"}]}",
                          parts);
  it.effect.request = ck_buffer_bytes(&it.request);
  const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
  bool fails = outcome->status == CK_OUTCOME_FAILED;
  const char *got = fails ? outcome->error : acp_fixture_result(outcome, "text");
  tap_ok(strstr(got, want) != NULL, "%s: %s gives %s (%s)", mode, parts, want, got);
  tap_ok(!fails || !it.updates.len, "what is refused is not sent");
  acp_fixture_close(&it);
}

#define PNG "iVBORw0KGgo="
static void test_parts(void) {
  static const char *const images[] = {
      "{\"type\":\"image\",\"media_type\":\"image/png\",\"name\":\"a.png\",\"data\":\"" PNG "\"}",
      "{\"type\":\"image\",\"mimeType\":\"image/jpeg\",\"data\":\"" PNG "\"}",
      "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64," PNG "\"}}",
      "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":"
      "\"" PNG "\"}}"};
  for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
    sees("sees", images[i],
         "[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"},");
    sees("good", images[i],
         i == 0 ? "the agent 'coder' takes no images (its promptCapabilities have no \"image\"), "
                  "and a.png was not sent"
                : "and an image was not sent");
  }
  sees("sees",
       "{\"type\":\"file\",\"media_type\":\"application/pdf\",\"name\":\"a b.pdf\",\"data\":"
       "\"JVBERi0=\"}",
       "[{\"type\":\"resource\",\"resource\":{\"uri\":\"attachment:a%20b.pdf\",\"mimeType\":"
       "\"application/pdf\",\"blob\":\"JVBERi0=\"}},");
  sees("good", "{\"type\":\"file\",\"name\":\"a.pdf\",\"data\":\"JVBERi0=\"}",
       "takes no files (its promptCapabilities have no \"embeddedContext\"), and a.pdf");
  sees("good", "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://h/a.png\"}}",
       "[{\"type\":\"resource_link\",\"uri\":\"https://h/a.png\",\"name\":\"https://h/a.png\"},");
  sees("good", "\"a text\"", "[{\"type\":\"text\",\"text\":\"a text\"},");
  sees("good", "{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}",
       "[{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"},");
  sees("sees", "{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AAAA\"}",
       "(its promptCapabilities have no \"audio\")");
  sees("sees", "{\"type\":\"hologram\"}", "has the type \"hologram\", and the protocol knows");
  sees("sees", "{\"type\":\"image\",\"name\":\"a.png\",\"data\":\"!\"}",
       "the data of a.png is no base64");
}

static void test_free_while_running(void) {
  acp_fixture it;
  ck_effect_run *run;
  acp_fixture_begin(&it, NULL);
  acp_fixture_ask_session(&it);
  it.silent = true;
  acp_fixture_open_driver(&it);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "edit", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.asked) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  acp_fixture_close(&it);
  tap_is_int(it.drive.delivered, 0, "a driver that is freed delivers nothing");
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  acp_fixture_init(loop);
  test_turn();
  test_sessions();
  test_tail();
  test_interrupted("loads", "s1-1", "2 Your work on what follows was i");
  test_interrupted("good", NULL, "2 An earlier session of yours wor");
  test_content();
  test_cost();
  test_errors();
  test_cancel("hang", CK_EFFECT_ONCE, CK_OUTCOME_OK, "cancelled", "true");
  test_cancel("hang", CK_EFFECT_RECONCILABLE, CK_OUTCOME_OK, "cancelled", "true");
  test_cancel("hang", CK_EFFECT_PURE, CK_OUTCOME_FAILED, "", "");
  test_cancel("hang angry", CK_EFFECT_ONCE, CK_OUTCOME_OK, "cancelled", "true");
  test_cancel("hang angry", CK_EFFECT_IDEMPOTENT, CK_OUTCOME_FAILED, "", "");
  test_cancel("hang stubborn", CK_EFFECT_ONCE, CK_OUTCOME_OK, "end_turn", "");
  test_cancel("hang deaf", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "", "");
  test_cancel("hang deaf", CK_EFFECT_PURE, CK_OUTCOME_FAILED, "", "");
  test_cancel_at_once();
  test_cancel_question();
  test_parts();
  test_manners();
  test_free_while_running();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
