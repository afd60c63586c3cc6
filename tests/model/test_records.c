/* test_records.c - events, outcomes, profiles and rows own what they say they own, and give all of
 * it back. */
#include <stdlib.h>
#include <string.h>

#include "core/model/checkpoint.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/profile.h"
#include "tests/tap.h"

static ck_value *json(const char *text) {
  ck_value *value = NULL;
  tap_must(ck_value_new(&value, ck_bytes_text(text), NULL) == CK_OK, "%s is a value", text);
  return value;
}

static void test_event(void) {
  char scope[] = "main/1", agent[] = "a";
  ck_value *body = json("{\"x\":1}");
  char decision[] = "d";
  ck_event from = {7, 2, CK_EVENT_NOTE, -5, scope, agent, body, {decision, 1}}, *event = NULL;
  tap_is_status(ck_event_new(&event, &from, NULL), CK_OK, NULL, "an event is made");
  scope[0] = agent[0] = decision[0] = 'X';
  tap_is_text(event->scope, "main/1", "its scope is a copy");
  tap_is_text(event->agent, "a", "its agent is a copy");
  tap_is_bytes(event->decision, ck_bytes_text("d"), "its decision is a copy");
  tap_ok(event->body == body, "its body is shared");
  tap_ok(
      event->seq == 7 && event->timeline == 2 && event->kind == CK_EVENT_NOTE && event->at_ms == -5,
      "its numbers are kept");
  ck_value_free(body);
  tap_is_bytes(ck_value_bytes(event->body), ck_bytes_text("{\"x\":1}"),
               "the body lives as long as the event");
  ck_event *again = NULL;
  tap_is_status(ck_event_new(&again, event, NULL), CK_OK, NULL, "an event is made of an event");
  ck_event_free(event);
  tap_is_text(again->agent, "a", "and does not need it");
  ck_event_free(again);

  from.agent = NULL;
  from.scope = "";
  from.body = json("{}");
  tap_is_status(ck_event_new(&event, &from, NULL), CK_OK, NULL, "an event of no agent is made");
  tap_ok(event->agent == NULL, "no agent stays none");
  tap_is_text(event->scope, "", "an empty scope stays one");
  ck_value_free(from.body);
  ck_event_free(event);
  ck_event_free(NULL);
}

static void test_outcome(void) {
  char why[] = "no such flight";
  ck_value *result = json("\"x\"");
  ck_outcome *outcome = NULL;
  tap_is_status(ck_outcome_new(&outcome, CK_OUTCOME_ERROR, result, why, NULL), CK_OK, NULL,
                "an outcome is made");
  why[0] = 'X';
  tap_is_text(outcome->error, "no such flight", "its error is a copy");
  tap_ok(outcome->result == result && outcome->status == CK_OUTCOME_ERROR, "its result is shared");
  tap_ok(outcome->cost_micros == 0 && outcome->input_tokens == 0 && outcome->output_tokens == 0 &&
             outcome->seq == 0,
         "it cost nothing and has no event yet");
  ck_value_free(result);
  tap_is_bytes(ck_value_bytes(outcome->result), ck_bytes_text("\"x\""),
               "the result lives as long as the outcome");
  ck_outcome_free(outcome);
  tap_is_status(ck_outcome_new(&outcome, CK_OUTCOME_FAILED, NULL, NULL, NULL), CK_OK, NULL,
                "an outcome can be bare");
  tap_ok(!outcome->result && !outcome->error, "without result and error");
  tap_is_int(outcome->error_status, CK_E_FAILED, "a failed one never has the class CK_OK");
  ck_outcome_free(outcome);
  ck_outcome_free(NULL);
}

static void test_profile(void) {
  char name[] = "p";
  ck_profile *profile = NULL;
  tap_is_status(ck_profile_new(&profile, name, NULL), CK_OK, NULL, "a profile is made");
  name[0] = 'X';
  tap_is_text(profile->name, "p", "its name is a copy");
  tap_ok(profile->budget_micros == -1 && profile->time_ms == -1 && profile->rounds == -1 &&
             profile->tokens == -1 && profile->tool_calls == -1 && profile->model_calls == -1,
         "it has no limits");
  tap_is_int(profile->replay_depth, 50, "a tail has 50 events");
  tap_ok(profile->policy_count == 0 && !profile->path, "it has no policies and no file");
  ck_value *options = json("{\"count\":20}");
  for (int i = 0; i < 100; i++) {
    char policy[] = {(char)('a' + i % 26), '\0'};
    tap_must(ck_profile_append_policy(profile, policy, i % 2 ? options : NULL, NULL) == CK_OK,
             "policy %d", i);
  }
  ck_value_free(options);
  int bad = 0;
  for (int i = 0; i < 100; i++) {
    const ck_profile_policy *policy = &profile->policies[i];
    bad += policy->name[0] != 'a' + i % 26 || (policy->options == NULL) != (i % 2 == 0);
    bad += policy->options && ck_value_bytes(policy->options).len != 12;
  }
  tap_is_int(bad, 0, "policies keep order, names and options");
  profile->path = strdup("/p.lua");
  ck_profile_free(profile);
  ck_profile_free(NULL);
}

static void test_clearing(void) {
  ck_session_record record = {.no = 1,
                              .status = CK_SESSION_PAUSED,
                              .reason = strdup("r"),
                              .profile = strdup("p"),
                              .flow = strdup("f"),
                              .input = json("{}")};
  ck_session_record_clear(&record);
  tap_ok(!record.reason && !record.profile && !record.flow && !record.input && record.no == 0,
         "a cleared record is zero");
  ck_session_record_clear(&record);
  ck_checkpoint_info info = {.seq = 3, .info = json("{}")};
  ck_checkpoint_info_clear(&info);
  ck_checkpoint_info_clear(&info);
  tap_ok(!info.info && info.seq == 0, "a cleared checkpoint info is zero, also twice");

  ck_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
  tap_must(checkpoint, "memory");
  checkpoint->info = json("{}");
  checkpoint->change_count = 2;
  checkpoint->changes = calloc(2, sizeof *checkpoint->changes);
  tap_must(checkpoint->changes, "memory");
  checkpoint->changes[0] = (ck_change){strdup("a"), json("1")};
  checkpoint->changes[1] = (ck_change){strdup("b"), NULL};
  ck_checkpoint_free(checkpoint);
  ck_checkpoint_free(NULL);
  tap_ok(true, "a checkpoint frees changes, keys, values and info (asan tells)");
}

int main(void) {
  test_event();
  test_outcome();
  test_profile();
  test_clearing();
  return tap_done();
}
