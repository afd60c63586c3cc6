/* test_ledger.c - what may run again and what may not, by class, attempt, digest and a person's
 * word. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "tests/tap.h"

static int64_t next_seq;

static void apply(ck_ledger *ledger, ck_event_kind kind, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body;
  tap_must(ck_value_new(&body, ck_bytes_text(json), &err) == CK_OK, "test document: %s", err.text);
  ck_event event = {.seq = ++next_seq, .timeline = 1, .kind = kind, .scope = "main", .body = body};
  tap_must(ck_ledger_apply(ledger, &event, &err) == CK_OK, "apply: %s", err.text);
  ck_value_free(body);
}

static void intent(ck_ledger *ledger, const char *class, int attempt, const char *digest) {
  char json[256];
  snprintf(json, sizeof json,
           "{\"key\":\"k\",\"attempt\":%d,\"kind\":\"tool\",\"class\":\"%s\",\"digest\":\"%s\"}",
           attempt, class, digest);
  apply(ledger, CK_EVENT_INTENT, json);
}

static void outcome(ck_ledger *ledger, const char *status, int attempt, const char *digest) {
  char json[256];
  snprintf(json, sizeof json,
           "{\"key\":\"k\",\"attempt\":%d,\"kind\":\"tool\",\"status\":\"%s\",\"digest\":\"%s\","
           "\"result\":7}",
           attempt, status, digest);
  apply(ledger, CK_EVENT_OUTCOME, json);
}

static void resolution(ck_ledger *ledger, const char *verdict) {
  char json[128];
  snprintf(json, sizeof json, "{\"key\":\"k\",\"verdict\":\"%s\",\"result\":{\"by\":\"hand\"}}",
           verdict);
  apply(ledger, CK_EVENT_RESOLUTION, json);
}

/* One row: what is recorded, what is asked, what the ledger must answer. */
typedef struct row {
  const char *name;
  const char *recorded; /* "i" intent, "o" outcome ok, "e" outcome error, "u" unknown, "f" failed,
                           "d" done, "r" retry, "a" abort */
  const char *class;
  int recorded_attempt, attempt;
  bool same_digest;
  ck_plan_action action;
} row;

static const row rows[] = {
    {"nothing recorded runs", "", "once", 1, 1, true, CK_PLAN_RUN},
    {"a recorded outcome replays after a crash (pure)", "io", "pure", 1, 1, true, CK_PLAN_REPLAY},
    {"a recorded outcome replays after a crash (once)", "io", "once", 1, 1, true, CK_PLAN_REPLAY},
    {"a recorded error replays after a crash", "ie", "once", 1, 1, true, CK_PLAN_REPLAY},
    {"a pure intent without outcome runs again", "i", "pure", 1, 1, true, CK_PLAN_RUN},
    {"an idempotent intent without outcome runs again", "i", "idempotent", 1, 1, true, CK_PLAN_RUN},
    {"a reconcilable intent without outcome is in doubt", "i", "reconcilable", 1, 1, true,
     CK_PLAN_DOUBT},
    {"a once intent without outcome is in doubt", "i", "once", 1, 1, true, CK_PLAN_DOUBT},
    {"in doubt also at a later attempt", "i", "once", 1, 2, true, CK_PLAN_DOUBT},
    {"done by a person's word", "id", "once", 1, 1, true, CK_PLAN_RESOLVE},
    {"aborted by a person's word", "ia", "once", 1, 1, true, CK_PLAN_RESOLVE},
    {"run again by a person's word", "ir", "once", 1, 1, true, CK_PLAN_RUN},
    {"a person's word counts for one intent only", "iri", "once", 1, 1, true, CK_PLAN_DOUBT},
    {"after a failure a pure success is asked anew", "io", "pure", 1, 2, true, CK_PLAN_RUN},
    {"after a failure an idempotent success replays", "io", "idempotent", 1, 2, true,
     CK_PLAN_REPLAY},
    {"after a failure a once success replays", "io", "once", 1, 2, true, CK_PLAN_REPLAY},
    {"after a failure a once error runs again", "ie", "once", 1, 2, true, CK_PLAN_RUN},
    {"an unknown outcome replays after a crash", "iu", "once", 1, 1, true, CK_PLAN_REPLAY},
    {"after a failure an unknown once does not run again", "iu", "once", 1, 2, true,
     CK_PLAN_REPLAY},
    {"after a failure an unknown pure runs again", "iu", "pure", 1, 2, true, CK_PLAN_RUN},
    {"what could not be carried out runs again", "if", "once", 1, 1, true, CK_PLAN_RUN},
    {"another request at a pure key runs", "io", "pure", 1, 1, false, CK_PLAN_RUN},
    {"another request at an idempotent key runs", "io", "idempotent", 1, 1, false, CK_PLAN_RUN},
    {"another request at a reconcilable key stops", "io", "reconcilable", 1, 1, false,
     CK_PLAN_DIVERGE},
    {"another request at a once key stops", "io", "once", 1, 1, false, CK_PLAN_DIVERGE},
    {"another request at an open once key stops", "i", "once", 1, 1, false, CK_PLAN_DIVERGE},
};

static void record(ck_ledger *ledger, const row *r) {
  for (const char *step = r->recorded; *step; step++) {
    const char *digest = r->same_digest ? "same" : "other";
    if (*step == 'i') intent(ledger, r->class, r->recorded_attempt, digest);
    if (*step == 'o') outcome(ledger, "ok", r->recorded_attempt, digest);
    if (*step == 'e') outcome(ledger, "error", r->recorded_attempt, digest);
    if (*step == 'u') outcome(ledger, "unknown", r->recorded_attempt, digest);
    if (*step == 'f') outcome(ledger, "failed", r->recorded_attempt, digest);
    if (*step == 'd') resolution(ledger, "done");
    if (*step == 'r') resolution(ledger, "retry");
    if (*step == 'a') resolution(ledger, "abort");
  }
}

static ck_plan_action plan_of(const ck_ledger *ledger, const ck_effect *effect) {
  ck_ledger_case found = ck_ledger_find(ledger, effect, "same");
  return ck_ledger_plan(&found).action;
}

static void test_rows(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_ledger *ledger;
    ck_error err = CK_ERROR_INIT;
    tap_must(ck_ledger_new(&ledger, &err) == CK_OK, "ledger");
    record(ledger, &rows[i]);
    ck_effect effect = {
        .key = "k", .scope = "main", .attempt = (uint32_t)rows[i].attempt, .kind = CK_EFFECT_TOOL};
    tap_must(ck_effect_class_of(&effect.class, rows[i].class), "class");
    tap_is_int(plan_of(ledger, &effect), rows[i].action, "%s", rows[i].name);
    ck_ledger_free(ledger);
  }
}

/* A flow edited after the crash cannot make a pending `once` harmless by calling it pure. */
static void test_recorded_class_counts(void) {
  ck_ledger *ledger;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_ledger_new(&ledger, &err) == CK_OK, "ledger");
  intent(ledger, "once", 1, "same");
  ck_effect effect = {
      .key = "k", .scope = "main", .attempt = 1, .kind = CK_EFFECT_TOOL, .class = CK_EFFECT_PURE};
  tap_is_int(plan_of(ledger, &effect), CK_PLAN_DOUBT, "the class recorded with the intent counts");
  ck_ledger_free(ledger);
}

static void test_resolution_outcomes(void) {
  ck_ledger *ledger;
  ck_error err = CK_ERROR_INIT;
  ck_outcome *given;
  tap_must(ck_ledger_new(&ledger, &err) == CK_OK, "ledger");
  intent(ledger, "once", 1, "same");
  resolution(ledger, "done");
  tap_must(ck_ledger_read_resolution(&given, ck_ledger_get(ledger, "k"), &err) == CK_OK, "done");
  tap_is_int(given->status, CK_OUTCOME_OK, "done is an outcome");
  tap_is_bytes(ck_value_bytes(given->result), ck_bytes_text("{\"by\":\"hand\"}"),
               "with the result the person gave");
  ck_outcome_free(given);
  resolution(ledger, "abort");
  tap_must(ck_ledger_read_resolution(&given, ck_ledger_get(ledger, "k"), &err) == CK_OK, "abort");
  tap_is_int(given->status, CK_OUTCOME_UNKNOWN, "abort leaves it unknown: it is never made again");
  ck_outcome_free(given);
  ck_ledger_free(ledger);
}

/* Whatever an outcome holds comes back from its event. */
static void test_round_trip(void) {
  ck_error err = CK_ERROR_INIT;
  ck_value *result, *message, *body;
  ck_outcome *given, *back;
  ck_effect effect = {
      .key = "main/agent#1/tool/1", .scope = "main", .attempt = 3, .kind = CK_EFFECT_TOOL};
  tap_must(ck_value_new(&result, ck_bytes_text("\"caf\\u00e9 \\n\""), &err) == CK_OK, "result");
  tap_must(ck_message_tool(&message, "call_1", "lookup", ck_value_bytes(result), &err) == CK_OK,
           "message");
  tap_must(ck_outcome_new(&given, CK_OUTCOME_ERROR, result, "it broke", &err) == CK_OK, "outcome");
  given->cost_micros = 1234;
  given->input_tokens = 5;
  tap_must(ck_ledger_write_outcome(&body, &effect, given, "d", "test", message, &err) == CK_OK,
           "write");
  tap_is_status(ck_ledger_read_outcome(&back, body, 9, &err), CK_OK, &err, "an outcome reads back");
  tap_is_int(back->status, CK_OUTCOME_ERROR, "status");
  tap_is_text(back->error, "it broke", "error");
  tap_is_bytes(ck_value_bytes(back->result), ck_value_bytes(result),
               "result, byte for byte, from its message");
  tap_ok(back->cost_micros == 1234 && back->input_tokens == 5 && back->seq == 9,
         "cost, tokens, seq");
  ck_totals totals = {0};
  ck_totals_add_outcome(&totals, body);
  tap_ok(totals.cost_micros == 1234 && totals.tool_calls == 1 && totals.model_calls == 0,
         "what it spent is counted once");
  ck_outcome_free(given);
  ck_outcome_free(back);
  ck_value_free(result);
  ck_value_free(message);
  ck_value_free(body);
}

static void test_many_keys(void) {
  ck_ledger *ledger;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_ledger_new(&ledger, &err) == CK_OK, "ledger");
  bool all = true;
  for (int i = 0; i < 20000; i++) {
    char json[128];
    snprintf(json, sizeof json,
             "{\"key\":\"main/agent#%d/tool/1\",\"kind\":\"tool\",\"class\":\"once\"}", i);
    apply(ledger, CK_EVENT_INTENT, json);
  }
  for (int i = 0; i < 20000; i++) {
    char key[64];
    snprintf(key, sizeof key, "main/agent#%d/tool/1", i);
    const ck_ledger_entry *entry = ck_ledger_get(ledger, key);
    all &= entry && entry->open && strcmp(entry->key, key) == 0;
  }
  tap_ok(all, "20,000 keys are all found");
  tap_ok(!ck_ledger_get(ledger, "main/agent#20000/tool/1"), "and no other");
  ck_value *body;
  tap_must(ck_value_new(&body, ck_bytes_text("{}"), &err) == CK_OK, "body");
  ck_event event = {.seq = 1, .kind = CK_EVENT_INTENT, .scope = "main", .body = body};
  tap_is_status(ck_ledger_apply(ledger, &event, &err), CK_E_CORRUPT, &err,
                "an intent without a key is corrupt, not ignored");
  ck_value_free(body);
  ck_ledger_free(ledger);
}

int main(void) {
  test_rows();
  test_recorded_class_counts();
  test_resolution_outcomes();
  test_round_trip();
  test_many_keys();
  return tap_done();
}
