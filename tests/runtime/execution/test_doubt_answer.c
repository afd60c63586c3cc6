/* test_doubt_answer.c - a policy's answer to a doubt is recorded once, before what is done by it,
 * and stands for whoever goes on from there. */
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/session/session_private.h"
#include "core/runtime/session/transcript.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define KEY "main/start/model/1"

static const char pays[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) return "
    "ctx.effect { kind = 'model', class = 'once', request = { model = 'm' } }.status end }";
static const char reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

/* A policy engine that counts how often it is asked. */
typedef struct asked {
  ck_doubt_answer answer;
  int times;
} asked;

static ck_status in_doubt(ck_doubt_answer *out, void *self, const ck_effect *effect,
                          ck_error *err) {
  asked *own = self;
  (void)effect, (void)err;
  own->times++;
  *out = own->answer;
  return CK_OK;
}

typedef struct found {
  int count;
  int64_t seq;
  bool named; /* the last one has the key, the word and the policy */
} found;

static bool take(void *to, const ck_event *event) {
  found *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  self->count++;
  self->seq = event->seq;
  self->named = ck_json_is_text(ck_json_get(body, "key"), KEY) &&
                ck_json_is_text(ck_json_get(body, "policy"), "careful") &&
                ck_json_is_text(ck_json_get(body, "verdict"), "retry") && !event->agent;
  return true;
}

static found find(const fake_flow *s, ck_event_kind kind) {
  found out = {0};
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = s->session->record.no, .kinds = 1ull << kind};
  tap_must(ck_store_read_events(s->runtime->store, &query, take, &out, &err) == CK_OK, "events");
  return out;
}

/* The call is begun, and lost. */
static void lose(fake_flow *s, const char *id) {
  fake_flow_open(s, pays);
  fake_flow_start(s, id);
  tap_must(s->count == 1, "the call is begun");
  fake_flow_crash(s);
}

/* A limit holds back what the answer says: the answer is durable, the new intent is not there. */
static void test_held_back(void) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  asked policy = {.answer = {CK_DOUBT_RERUN, "careful"}};
  const ck_policy_engine policies = {
      .self = &policy, .checkpoint = ck_policy_always.checkpoint, .in_doubt = in_doubt};
  tap_must(ck_profile_new(&profile, "lost", &err) == CK_OK, "profile");
  profile->budget_micros = 150;
  fake_flow s = {.profile = profile, .reserve = 100, .policies = &policies};
  lose(&s, "held");
  for (int i = 0; i < 3; i++) {
    if (i) fake_flow_crash(&s);
    fake_flow_resume(&s, "held");
    tap_ok(s.result.cause == CK_E_LIMIT && s.count == 0, "the limit holds the second try back");
  }
  found answers = find(&s, CK_EVENT_RESOLUTION);
  tap_is_int(answers.count, 1, "resumed three times, the answer is recorded once");
  tap_ok(answers.named, "with key, word and policy, as nobody's");
  tap_is_int(policy.times, 1, "and the policy was asked once");
  fake_flow_crash(&s);
  profile->budget_micros = 1000;
  policy.answer.word = CK_DOUBT_STOP;
  fake_flow_resume(&s, "held");
  fake_flow_ok(&s, KEY, reply, 10);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED, "the first answer stands when there is room");
  found intents = find(&s, CK_EVENT_INTENT);
  tap_ok(intents.count == 2 && answers.seq < intents.seq, "it lies before the new intent");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* A kill behind the answer's event: the next resume does what it says, and asks nobody. */
static void test_killed_behind(void) {
  ck_value *body;
  ck_error err = CK_ERROR_INIT;
  asked policy = {.answer = {CK_DOUBT_STOP, "careful"}};
  const ck_policy_engine policies = {
      .self = &policy, .checkpoint = ck_policy_always.checkpoint, .in_doubt = in_doubt};
  fake_flow s = {.policies = &policies};
  lose(&s, "killed");
  ck_resume_options options = {.policies = &policies};
  tap_must(ck_session_resume(&s.session, s.runtime, "killed", &options, &err) == CK_OK, "resumed");
  tap_must(ck_ledger_write_policy_verdict(&body, KEY, "retry", "careful", &err) == CK_OK, "body");
  tap_must(ck_session_append(s.session, CK_EVENT_RESOLUTION, "main", NULL, body, &err) == CK_OK,
           "answer");
  ck_value_free(body);
  tap_must(ck_session_flush(s.session, CK_DURABLE_PROCESS, &err) == CK_OK, "flushed");
  ck_session_close(s.session);
  fake_flow_resume(&s, "killed");
  tap_ok(s.count == 1 && policy.times == 0, "it is made again, and nobody is asked");
  tap_is_int(find(&s, CK_EVENT_RESOLUTION).count, 1, "nor is anything recorded twice");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "killed");
  tap_ok(policy.times == 1 && s.result.status == CK_SESSION_IN_DOUBT,
         "killed again, that is another doubt: the policy is asked");
  tap_is_int(find(&s, CK_EVENT_RESOLUTION).count, 1, "a stop is no answer to keep");
  fake_flow_close(&s);
}

int main(void) {
  test_held_back();
  test_killed_behind();
  return tap_done();
}
