/* test_cassette_driver.c - each effect is answered by its own record; where it differs, both sides
 * are shown. */
#include <stdio.h>
#include <string.h>

#include "tests/effect/cassette/cassette_fixture.h"
#include "tests/effect/drive.h"
#include "tests/tap.h"

static ck_loop *loop;

/* One effect against a cassette of a few lines. */
static const ck_outcome *take(drive *to, const char *text, const ck_effect *effect, bool probe) {
  ck_cassette *cassette = cassette_open_text(text);
  ck_effect_driver *driver = NULL;
  tap_must(ck_cassette_driver_new(&driver, cassette, loop, NULL) == CK_OK,
           "a cassette has a driver");
  tap_ok(driver->serves(driver->self, effect), "it serves a %s", ck_effect_kind_name(effect->kind));
  const ck_outcome *outcome = drive_effect(to, driver, effect, probe);
  driver->free(driver->self);
  ck_cassette_close(cassette);
  return outcome;
}

static void diverges(const char *text, const ck_effect *effect, const char *asked,
                     const char *held) {
  drive to;
  drive_init(&to, loop);
  const ck_outcome *outcome = take(&to, text, effect, false);
  tap_ok(outcome->status == CK_OUTCOME_FAILED && outcome->error_status == CK_E_DIVERGED,
         "it fails as diverged");
  const char *shown = outcome->error ? outcome->error : "";
  tap_ok(strstr(shown, asked) != NULL, "shows what was asked: %s (%s)", asked, shown);
  tap_ok(strstr(shown, held) != NULL, "shows what is held: %s (%s)", held, shown);
  outcome = take(&to, text, effect, true);
  tap_ok(outcome->status == CK_OUTCOME_ABSENT, "a probe of it finds nothing");
  drive_clear(&to);
}

static ck_effect tool_effect(uint64_t consumed, const char *request) {
  return (ck_effect){.scope = "main",
                     .key = "k",
                     .attempt = 1,
                     .kind = CK_EFFECT_TOOL,
                     .request = ck_bytes_text(request),
                     .consumed = consumed};
}

static void test_tool_divergence(void) {
  ck_effect effect =
      tool_effect(1, "{\"name\":\"book\",\"index\":0,\"arguments\":\"{\\\"id\\\":7}\"}");
  diverges(HEADER CALLING("look") TOOL("0"), &effect,
           "record 2 of scope main (line 3): the flow asks tool book, call 0, with {\"id\":7}",
           "the cassette holds tool look, call 0, with {}");
  effect = tool_effect(1, "{\"name\":\"look\",\"index\":0,\"arguments\":\"{ }\"}");
  diverges(HEADER CALLING("look") TOOL("0"), &effect, "asks tool look, call 0, with { }",
           "holds tool look, call 0, with {}");
  effect = tool_effect(1, "{\"name\":\"look\",\"index\":1,\"arguments\":\"{}\"}");
  diverges(HEADER CALLING("look") TOOL("0"), &effect, "look, call 1", "look, call 0");
  effect = tool_effect(1, "{\"name\":\"look\",\"index\":0,\"arguments\":\"{}\"}");
  diverges(HEADER CALLING("look"), &effect,
           "record 2 of scope main (behind the end): the flow asks tool look",
           "holds nothing more");
  diverges(HEADER CALLING("look") ASK, &effect, "tool look", "holds the user's hi");
  diverges(HEADER CALLING("look") MODEL("{\"a\":1}"), &effect, "tool look",
           "holds the model's {\"a\":1}");
  effect = (ck_effect){.scope = "main", .kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}")};
  diverges(HEADER CALLING("look"), &effect, "the flow asks the user;", "holds the model's");
  effect.scope = "side";
  diverges(HEADER ASK, &effect, "in scope side", "it has main");
}

#define OWN(request, result) \
  "{\"scope\":\"main\",\"kind\":\"tool\",\"request\":" request ",\"result\":" result "}\n"

#define LISTS(server) "{\"server\":\"" server "\",\"list\":true}"
#define LIST(result) OWN(LISTS("s"), result)

/* Calls of the flow's own are matched by the whole request, in any order among those in a row;
 * lists of tools, which do not move the cursor, by the last one before it. */
static void test_own_calls(void) {
  static const char three[] = HEADER OWN("{\"name\":\"a\",\"arguments\":1}", "1") LIST("\"first\"")
      OWN("{\"name\":\"a\",\"arguments\":2}", "2") ASK LIST("\"again\"")
          OWN("{\"name\":\"a\",\"arguments\":1}", "\"later\"");
  static const struct {
    uint64_t consumed;
    const char *request, *want;
  } cases[] = {{0, "{\"name\":\"a\",\"arguments\":1}", "1"},
               {0, "{\"name\":\"a\",\"arguments\":2}", "2"},
               {1, "{\"name\":\"a\",\"arguments\":1}", "1"},
               {0, LISTS("s"), "\"first\""},
               {2, LISTS("s"), "\"first\""},
               {3, LISTS("s"), "\"again\""},
               {9, LISTS("s"), "\"again\""},
               {3, "{\"name\":\"a\",\"arguments\":1}", "\"later\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    drive to;
    drive_init(&to, loop);
    ck_effect effect = tool_effect(cases[i].consumed, cases[i].request);
    const ck_outcome *outcome = take(&to, three, &effect, false);
    tap_is_bytes(outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0},
                 ck_bytes_text(cases[i].want), "it is answered");
    drive_clear(&to);
  }
  ck_effect effect = tool_effect(1, "{\"name\":\"a\",\"arguments\":3}");
  diverges(three, &effect, "tool a, call 0, with 3",
           "the flow's own call {\"name\":\"a\",\"arguments\":2}");
  effect = tool_effect(1, LISTS("t"));
  diverges(three, &effect, "the tools of the server \"t\"", "does not list them");
}

static void test_spelling(void) {
  drive to;
  drive_init(&to, loop);
  ck_effect effect =
      tool_effect(1, "{\"name\":\"l\\u006fok\",\"index\":0,\"arguments\":\"\\u007b}\"}");
  tap_ok(take(&to, HEADER CALLING("look") TOOL("0"), &effect, false)->status == CK_OUTCOME_OK,
         "the spelling of a string is no difference");
  tap_is_bytes(ck_value_bytes(to.outcome->result), ck_bytes_text("\"r\""),
               "the result is the recorded bytes");
  tap_ok(take(&to, HEADER CALLING("look") TOOL("0"), &effect, true)->status == CK_OUTCOME_OK,
         "a probe gives the same outcome");
  tap_is_bytes(ck_value_bytes(to.outcome->result), ck_bytes_text("\"r\""), "with the same result");
  drive_clear(&to);
}

static void test_endings(void) {
  drive to;
  drive_init(&to, loop);
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}"), .consumed = 1};
  tap_ok(take(&to, HEADER ASK, &effect, false)->status == CK_OUTCOME_ENDED,
         "an ask behind the last record ends");
  effect.consumed = UINT64_MAX;
  tap_ok(take(&to, HEADER ASK, &effect, false)->status == CK_OUTCOME_ENDED,
         "so does one far behind it");
  effect.kind = CK_EFFECT_MODEL;
  tap_ok(take(&to, HEADER, &effect, false)->status == CK_OUTCOME_ENDED,
         "an empty recording ends at once");
  tap_ok(take(&to, HEADER, &effect, true)->status == CK_OUTCOME_ABSENT,
         "a probe behind the end finds nothing");
  drive_clear(&to);

  ck_cassette *cassette = NULL;
  tap_must(ck_cassette_open(&cassette, "tests/data/scopes.jsonl", NULL) == CK_OK,
           "the cassette opens");
  tap_is_text(ck_cassette_scope(cassette, 1), "main/left", "scopes are listed in order");
  tap_ok(ck_cassette_scope(cassette, 3) == NULL, "and end");
  tap_is_int((int64_t)ck_cassette_left(cassette, "main", 1), 1,
             "what was not asked for is left over");
  tap_is_int((int64_t)ck_cassette_left(cassette, "main", 3), 0, "nothing is left behind the end");
  tap_is_int((int64_t)ck_cassette_left(cassette, "nowhere", 0), 0,
             "nothing is left of a scope that is not there");
  ck_cassette_close(cassette);
}

/* A recorded digest counts instead of the messages before: here they hold a turn that is in no
 * record. */
static void test_request_digest(void) {
  ck_conversation *sent = NULL;
  ck_value *message = NULL;
  char hex[CK_DIGEST_HEX_SIZE], text[512];
  tap_must(ck_conversation_new(&sent, NULL) == CK_OK, "a conversation can begin");
  tap_must(ck_message_user(&message, ck_bytes_text("\"from the flow\""), NULL) == CK_OK,
           "a turn of the flow's own");
  tap_must(ck_conversation_append(sent, message, NULL) == CK_OK, "is sent");
  ck_value_free(message);
  ck_digest digest = ck_conversation_digest(sent);
  ck_digest_hex(hex, &digest);
  snprintf(text, sizeof text,
           HEADER
           "{\"scope\":\"main\",\"kind\":\"model\",\"message\":{},\"request_digest\":\"%s\"}\n",
           hex);
  drive to;
  drive_init(&to, loop);
  ck_effect effect = {.scope = "main",
                      .kind = CK_EFFECT_MODEL,
                      .conversation = sent,
                      .request = ck_bytes_text("{}")};
  tap_ok(take(&to, text, &effect, false)->status == CK_OUTCOME_OK,
         "the digest that was recorded fits");
  diverges(HEADER MODEL("{}"), &effect,
           "asks with message 1 {\"role\":\"user\",\"content\":\"from the flow\"}",
           "holds no message 1");
  drive_clear(&to);
  ck_conversation_free(sent);
}

static void say(ck_conversation *to, ck_status made, ck_value *message) {
  tap_must(made == CK_OK && ck_conversation_append(to, message, NULL) == CK_OK,
           "a message is sent");
  ck_value_free(message);
}

/* Where one side has fewer messages, both are told: what comes next, what the other ends with. */
static void test_shorter(void) {
  ck_conversation *sent = NULL;
  ck_value *message = NULL;
  tap_must(ck_conversation_new(&sent, NULL) == CK_OK, "a conversation can begin");
  ck_status made = ck_message_user(&message, ck_bytes_text("\"hi\""), NULL);
  say(sent, made, message);
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_MODEL, .consumed = 2, .conversation = sent};
  diverges(HEADER ASK ASK MODEL("{}"), &effect,
           "the flow asks no message 2: it ends with message 1 {\"role\":\"user\","
           "\"content\":\"hi\"};",
           "holds with message 2 {\"role\":\"user\",\"content\":\"hi\"}");
  made = ck_message_user(&message, ck_bytes_text("\"and more\""), NULL);
  say(sent, made, message);
  effect.consumed = 1;
  diverges(HEADER ASK MODEL("{}"), &effect,
           "asks with message 2 {\"role\":\"user\",\"content\":\"and more\"}",
           "holds no message 2: it ends with message 1 {\"role\":\"user\",\"content\":\"hi\"}");
  ck_conversation_free(sent);
}

#define MASK "[redacted:policy:000000000000]"
#define SAID(text) "{\"scope\":\"main\",\"kind\":\"ask\",\"answer\":\"" text "\"}\n"
#define FILLER "............................................................................"

/* Sends `texts` (NULL ends them) as a user's turns, where the recording has two; `prompt`: behind
 * one. */
static ck_conversation *say_all(const char *const *texts, bool prompt) {
  ck_conversation *sent = NULL;
  tap_must(ck_conversation_new(&sent, NULL) == CK_OK, "a conversation can begin");
  for (size_t i = 0; texts[i]; i++) {
    ck_value *text = NULL, *message = NULL;
    tap_must(ck_value_text(&text, ck_bytes_text(texts[i]), NULL) == CK_OK, "a text");
    ck_status made = prompt && i == 0 ? ck_message_system(&message, ck_value_bytes(text), NULL)
                                      : ck_message_user(&message, ck_value_bytes(text), NULL);
    say(sent, made, message);
    ck_value_free(text);
  }
  return sent;
}

static void masked_differs(const char *recorded, const char *const *texts, bool prompt,
                           const char *asked, const char *held) {
  ck_conversation *sent = say_all(texts, prompt);
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_MODEL, .consumed = 2, .conversation = sent};
  diverges(recorded, &effect, asked, held);
  ck_conversation_free(sent);
}

static void masked_fits(const char *recorded, const char *const *texts) {
  ck_conversation *sent = say_all(texts, false);
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_MODEL, .consumed = 2, .conversation = sent};
  drive to;
  drive_init(&to, loop);
  tap_ok(take(&to, recorded, &effect, false)->status == CK_OUTCOME_OK, "%s, %s fits", texts[0],
         texts[1]);
  drive_clear(&to);
  ck_conversation_free(sent);
}

/* What either side has masked is no difference: the message that is blamed is the one that does
 * differ, and the part that is shown of it is where. */
static void test_masked(void) {
#define TEXTS(...) (const char *const[]){__VA_ARGS__, NULL}
  masked_fits(HEADER SAID("I am Ada.") SAID("no") MODEL("{}"), TEXTS("I am " MASK ".", "no"));
  masked_fits(HEADER SAID("I am " MASK ".") SAID("no") MODEL("{}"), TEXTS("I am Ada.", "no"));
  masked_fits(HEADER SAID(MASK " and Bob.") SAID("no") MODEL("{}"),
              TEXTS("Ada and " MASK ".", "no"));
  masked_fits(HEADER SAID("x " MASK " y") SAID("no") MODEL("{}"),
              TEXTS("x [redacted:policy:123456789012] y", "no"));
  masked_differs(HEADER SAID("I am " MASK ".") SAID("no") MODEL("{}"), TEXTS("I am Ada.", "yes"),
                 false, "asks with message 2 {\"role\":\"user\",\"content\":\"yes\"}",
                 "holds with message 2 {\"role\":\"user\",\"content\":\"no\"}");
  masked_differs(HEADER SAID(MASK " and Bob.") SAID("no") MODEL("{}"),
                 TEXTS("Ada and " MASK "!", "yes"), false, "asks with message 1", "with message 1");
  masked_differs(HEADER SAID("I am Ada" FILLER FILLER FILLER "red") SAID("no") MODEL("{}"),
                 TEXTS("I am " MASK FILLER FILLER FILLER "blue", "no"), false, "...blue\"}",
                 "...red\"}");
  masked_differs(HEADER SAID("hi") SAID("no") MODEL("{}"), TEXTS("You sell.", "hi", "yes"), true,
                 "asks with message 2 behind its prompt {\"role\":\"user\",\"content\":\"yes\"}",
                 "holds with message 2 {\"role\":\"user\",\"content\":\"no\"}");
#undef TEXTS
}

/* The request after a call that another driver carried out: any result of the call fits, the answer
 * to another call does not. */
static void test_left_out(const char *call_id, ck_outcome_status want) {
  static const char *const names[] = {"look", NULL};
  static const char calling[] = "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c1\","
                                "\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}";
  ck_cassette *cassette =
      cassette_open_text(HEADER ASK CALLING("look") TOOL("0") MODEL("{\"content\":\"no\"}"));
  tap_must(ck_cassette_leave_out(cassette, names, NULL) == CK_OK, "a tool can be left out");
  tap_is_int((int64_t)ck_cassette_count(cassette, "main"), 4, "its record keeps its place");

  ck_conversation *sent = NULL;
  ck_value *message = NULL;
  ck_status made = ck_conversation_new(&sent, NULL);
  tap_must(made == CK_OK, "a conversation can begin");
  made = ck_message_user(&message, ck_bytes_text("\"hi\""), NULL);
  say(sent, made, message);
  made = ck_value_new(&message, ck_bytes_text(calling), NULL);
  say(sent, made, message);
  made = ck_message_tool(&message, call_id, "look", ck_bytes_text("{\"n\":42}"), NULL);
  say(sent, made, message);

  ck_effect_driver *driver = NULL;
  tap_must(ck_cassette_driver_new(&driver, cassette, loop, NULL) == CK_OK,
           "a cassette has a driver");
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_MODEL, .consumed = 3, .conversation = sent};
  drive to;
  drive_init(&to, loop);
  tap_is_int(drive_effect(&to, driver, &effect, false)->status, want, "the answer to %s is judged",
             call_id);
  drive_clear(&to);
  driver->free(driver->self);
  ck_conversation_free(sent);
  ck_cassette_close(cassette);
}

/* A driver that is freed while outcomes wait delivers them to nobody. */
static void test_free_while_waiting(void) {
  ck_cassette *cassette = cassette_open_text(HEADER ASK);
  ck_effect_driver *driver = NULL;
  tap_must(ck_cassette_driver_new(&driver, cassette, loop, NULL) == CK_OK,
           "a cassette has a driver");
  drive first, second;
  drive_init(&first, loop);
  drive_init(&second, loop);
  ck_effect effect = {.scope = "main", .kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}")};
  ck_effect_run *run = NULL;
  tap_must(drive_begin(&run, &first, driver, &effect, false) == CK_OK, "it starts");
  driver->cancel(driver->self, run);
  drive_wait(&first);
  tap_is_int(first.delivered, 1, "a cancelled effect is delivered once");
  tap_must(drive_begin(&run, &first, driver, &effect, false) == CK_OK, "it starts");
  tap_must(drive_begin(&run, &second, driver, &effect, false) == CK_OK, "another starts");
  driver->free(driver->self);
  ck_loop_run(loop);
  tap_is_int(first.delivered + second.delivered, 0, "a freed driver delivers nothing");
  drive_clear(&first);
  drive_clear(&second);
  ck_cassette_close(cassette);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_tool_divergence();
  test_own_calls();
  test_spelling();
  test_endings();
  test_request_digest();
  test_shorter();
  test_masked();
  test_left_out("c1", CK_OUTCOME_OK);
  test_left_out("c2", CK_OUTCOME_FAILED);
  test_free_while_waiting();
  ck_loop_free(loop);
  return tap_done();
}
