/* test_mcp_asking.c - servers that ask in the midst of a call, as the driver has them: the call
 * ends with the question, and the next one brings the answer to the call that waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/mcp/mcp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;
static char path[300];

static const char *result_of(const ck_outcome *outcome) {
  return outcome->result  ? ck_value_bytes(outcome->result).data
         : outcome->error ? outcome->error
                          : "nothing";
}

static void begin(mcp_fixture *it, const char *era) {
  static int count;
  mcp_fixture_begin(it, NULL, NULL);
  snprintf(path, sizeof path, "%s/log%d", tap_tmpdir(), ++count);
  it->argv[0] = "perl";
  it->argv[1] = "tests/effect/mcp/asking_server.pl";
  it->argv[2] = era;
  it->argv[3] = path;
  it->argv[4] = NULL;
  it->process.elicitation = true;
  mcp_fixture_open(it);
}

static int noted(const char *text) {
  char line[4096];
  int count = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) count += strncmp(line, text, strlen(text)) == 0;
  if (file) fclose(file);
  return count;
}

/* The call of the tool once more, with `response` to what `wanted` (JSON) wants. */
static const ck_outcome *answer_of(mcp_fixture *it, ck_effect_class class, const char *tool,
                                   const char *arguments, const char *wanted,
                                   const char *response) {
  mcp_fixture_set(it, class, tool, arguments);
  it->request.len--; /* its brace */
  ck_buffer_append_format(&it->request, ",\"input\":{\"of\":%s,\"responses\":{%s}}}", wanted,
                          response);
  it->effect.request = ck_buffer_bytes(&it->request);
  return drive_effect(&it->drive, it->driver, &it->effect, false);
}

static const ck_outcome *answer(mcp_fixture *it, ck_effect_class class, const char *arguments,
                                const char *wanted, const char *response) {
  return answer_of(it, class, "order", arguments, wanted, response);
}

static char *want_of(mcp_fixture *it, const char *tool, const char *arguments) {
  const ck_outcome *outcome = mcp_fixture_call(it, CK_EFFECT_ONCE, tool, arguments);
  tap_ok(outcome->status == CK_OUTCOME_OK && outcome->wants, "it wants something: %.200s",
         result_of(outcome));
  return strdup(result_of(outcome));
}

static char *want(mcp_fixture *it, const char *arguments) {
  return want_of(it, "order", arguments);
}

static void test_older(void) {
  mcp_fixture it;
  begin(&it, "older");
  char *first = want(&it, "{\"times\":2}");
  const ck_outcome *outcome = answer(&it, CK_EFFECT_ONCE, "{\"times\":2}", first,
                                     "\"it\":{\"action\":\"accept\",\"content\":{\"size\":\"S\"}}");
  tap_ok(outcome->wants, "the call that waits goes on, and asks again");
  char *second = strdup(result_of(outcome));
  outcome = answer(&it, CK_EFFECT_ONCE, "{\"times\":2}", second,
                   "\"it\":{\"action\":\"accept\",\"content\":{\"size\":\"M\"}}");
  tap_is_text(result_of(outcome),
              "\"ordered {\\\"size\\\":\\\"S\\\"} and {\\\"size\\\":\\\"M\\\"}\"",
              "then it is over");
  tap_is_int(noted("called"), 1, "it is one call to the server");
  outcome = answer(&it, CK_EFFECT_ONCE, "{\"times\":2}", second, "\"it\":{\"action\":\"cancel\"}");
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN, "an answer that comes again is in doubt: %s",
         result_of(outcome));
  mcp_fixture_close(&it);
  begin(&it, "older");
  outcome = answer(&it, CK_EFFECT_IDEMPOTENT, "{\"times\":2}", second,
                   "\"it\":{\"action\":\"accept\",\"content\":{\"size\":\"M\"}}");
  tap_is_text(result_of(outcome),
              "\"ordered {\\\"size\\\":\\\"S\\\"} and {\\\"size\\\":\\\"M\\\"}\"",
              "another server is told all that was answered");
  mcp_fixture_close(&it);
  free(first);
  free(second);
}

static void test_modern(void) {
  mcp_fixture it;
  begin(&it, "modern");
  char *first = want(&it, "{}");
  const ck_outcome *outcome =
      answer(&it, CK_EFFECT_ONCE, "{}", first,
             "\"size1\":{\"action\":\"accept\",\"content\":{\"size\":\"S\"}}");
  tap_is_text(result_of(outcome), "\"ordered {\\\"size\\\":\\\"S\\\"}\"", "it goes on");
  tap_is_int(noted("called"), 2, "with a second call");
  free(first);
  mcp_fixture_close(&it);
}

/* What was not offered: a person is sent to no address. */
static void test_url(void) {
  static const char *const eras[] = {"older", "modern"};
  for (int i = 0; i < 2; i++) {
    mcp_fixture it;
    begin(&it, eras[i]);
    const ck_outcome *outcome =
        mcp_fixture_call(&it, CK_EFFECT_ONCE, "order", "{\"mode\":\"url\"}");
    tap_ok(outcome->status == CK_OUTCOME_ERROR && !outcome->wants, "%s: mode url is an error",
           eras[i]);
    tap_ok(strstr(result_of(outcome), "url") || strstr(result_of(outcome), "form"), "%s: says %s",
           eras[i], result_of(outcome));
    tap_is_int(noted("ordered"), 0, "%s: nothing is ordered", eras[i]);
    mcp_fixture_close(&it);
  }
}

/* More than anybody reads: an older server is told no, the call of a newer one is an error. */
static void test_much(void) {
  static const char *const eras[] = {"older", "modern"};
  ck_buffer arguments = {0};
  ck_buffer_append_text(&arguments, "{\"form\":{\"title\":\"");
  for (int i = 0; i < 300000; i++) ck_buffer_append_char(&arguments, 'x');
  ck_buffer_append_text(&arguments, "\"}}");
  for (int i = 0; i < 2; i++) {
    mcp_fixture it;
    begin(&it, eras[i]);
    const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "order", arguments.data);
    tap_ok(!outcome->wants && strlen(result_of(outcome)) < 1000,
           "%s: a form of 300 KB is put to nobody: %.100s", eras[i], result_of(outcome));
    tap_is_int(noted("ordered"), 0, "%s: and nothing is ordered", eras[i]);
    mcp_fixture_close(&it);
  }
  ck_buffer_clear(&arguments);
}

#define SAID(text) "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}"

static void begin_sampling(mcp_fixture *it, const char *era) {
  begin(it, era);
  it->process.elicitation = false;
  it->process.sampling = true;
}

/* A model is asked as a person is: a call that is made anew is told what was answered, and does not
 * ask again. */
static void test_sampling(void) {
  static const char twice[] = "{\"times\":2}", said[] = "\"thought A\\nthought B\"";
  mcp_fixture it;
  begin_sampling(&it, "older");
  char *first = want_of(&it, "think", twice);
  tap_ok(strstr(first, "\"method\":\"sampling/createMessage\"") != NULL, "a model is wanted");
  const ck_outcome *outcome =
      answer_of(&it, CK_EFFECT_ONCE, "think", twice, first, "\"it\":" SAID("A"));
  char *second = strdup(result_of(outcome));
  outcome = answer_of(&it, CK_EFFECT_ONCE, "think", twice, second, "\"it\":" SAID("B"));
  tap_is_text(result_of(outcome), said, "it thinks what it was told");
  mcp_fixture_close(&it);
  begin_sampling(&it, "older");
  outcome = answer_of(&it, CK_EFFECT_IDEMPOTENT, "think", twice, second, "\"it\":" SAID("B"));
  tap_is_text(result_of(outcome), said, "another server is told all that a model answered");
  mcp_fixture_close(&it);
  begin_sampling(&it, "older");
  outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "order", "{}");
  tap_ok(outcome->status == CK_OUTCOME_ERROR && strstr(result_of(outcome), "does not offer"),
         "a person is not offered with it: %s", result_of(outcome));
  char *third = want_of(&it, "think", "{}");
  outcome = answer_of(&it, CK_EFFECT_ONCE, "think", "{}", third,
                      "\"it\":{\"refused\":\"no \\u001b[2J\"}");
  tap_ok(strstr(result_of(outcome), "refused: no"), "a refusal is an error for it: %s",
         result_of(outcome));
  tap_is_int(noted("refused -1"), 1, "with the code of the protocol");
  mcp_fixture_close(&it);
  free(first);
  free(second);
  free(third);
}

/* Nobody comes with the answer. */
static void test_left(void) {
  mcp_fixture it;
  begin(&it, "older");
  free(want(&it, "{}"));
  mcp_fixture_close(&it);
  tap_is_int(noted("ordered"), 0, "a call whose answer never comes is dropped with its server");
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_older();
  test_modern();
  test_url();
  test_much();
  test_left();
  test_sampling();
  ck_loop_free(loop);
  return tap_done();
}
