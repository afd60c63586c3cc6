/* test_policy_permit.c - permit: the first deny counts, then questions, put as one; a hook that
 * fails asks; what the views show. */
#include <stdio.h>
#include <string.h>

#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static ck_effect make_effect(const char *request, int64_t reserve) {
  return (ck_effect){.scope = "main",
                     .key = "main/a/tool/1",
                     .kind = CK_EFFECT_TOOL,
                     .class = CK_EFFECT_ONCE,
                     .agent = "ann",
                     .attempt = 1,
                     .reserve_micros = reserve,
                     .request = ck_bytes_text(request)};
}

static const ck_boundary somewhere = {
    .scope = "main",
    .node = "plan",
    .agent = "ann",
    .next = {.tool = "send", .has_class = true, .effect_class = CK_EFFECT_ONCE},
    .budget = {250000, 1000000}};

static void check(const ck_policy_engine *engine, const char *n, ck_status status,
                  ck_leave_word word, const char *policies, const char *text) {
  char request[64];
  snprintf(request, sizeof request, "{\"name\":\"send\",\"arguments\":{\"n\":%s}}", n);
  ck_effect effect = make_effect(request, 0);
  ck_leave leave;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine->permit(&leave, engine->self, &effect, &somewhere, &err), status, &err,
                "case %s", n);
  tap_is_int(leave.word, word, "case %s: the word", n);
  tap_ok(policies ? leave.policies && strcmp(leave.policies, policies) == 0 : !leave.policies,
         "case %s: whose it is: %s", n, leave.policies ? leave.policies : "nobody's");
  tap_ok(text ? leave.text && strcmp(leave.text, text) == 0 : !leave.text, "case %s: the text: %s",
         n, leave.text ? leave.text : "none");
  ck_leave_clear(&leave);
}

static void test_composition(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, permit = function(e) local n = e.arguments.n\n"
      "if n == 1 or n == 3 then return ck.ask 'A?' end\n"
      "if n == 4 then return 'allow' end if n == 5 then return {} end end }",
      "return { name = 'b', version = 1, permit = function(e) local n = e.arguments.n\n"
      "if n == 2 or n == 3 or n == 5 then return ck.deny 'B' end\n"
      "if n == 1 then return ck.ask 'B?' end if n == 6 then return { ask = 'x', deny = 'y' } end\n"
      "end }",
      "return { name = 'c', version = 1, permit = function(e) local n = e.arguments.n\n"
      "if n == 2 then return ck.deny 'C' end if n == 7 then return { ask = '' } end\n"
      "if n == 8 then return ck.ask({}) end if n == 9 then e.arguments.n = 1 end end }"};
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, 3, &err) == CK_OK, "three load: %s", err.text);
  check(&engine, "0", CK_OK, CK_LEAVE_ALLOW, NULL, NULL);
  check(&engine, "1", CK_OK, CK_LEAVE_ASK, "a, b", "A?; B?");
  check(&engine, "2", CK_OK, CK_LEAVE_DENY, "b", "B");
  check(&engine, "3", CK_OK, CK_LEAVE_DENY, "b", "B");
  check(&engine, "4", CK_OK, CK_LEAVE_ALLOW, NULL, NULL);
  check(&engine, "5", CK_E_POLICY, CK_LEAVE_DENY, "b", "B");
  static const char *const failing[] = {"6", "7", "8", "9"};
  for (size_t i = 0; i < 4; i++) {
    char request[64];
    snprintf(request, sizeof request, "{\"name\":\"send\",\"arguments\":{\"n\":%s}}", failing[i]);
    ck_effect effect = make_effect(request, 0);
    ck_leave leave;
    ck_status status = engine.permit(&leave, engine.self, &effect, &somewhere, &err);
    tap_is_int(status, CK_E_POLICY, "case %s fails", failing[i]);
    tap_ok(leave.word == CK_LEAVE_ASK && leave.text && strcmp(leave.text, err.text) == 0,
           "and so asks: %s", leave.text ? leave.text : "nothing");
    ck_leave_clear(&leave);
  }
  engine.free(engine.self);
}

/* By hand: what the policy is to see of each request. */
static void test_views(void) {
  static const char text[] =
      "return { name = 'v', version = 1, permit = function(e, at) local a = e.arguments\n"
      "return ck.deny(table.concat({ e.key, e.kind, e.class, e.agent, e.attempt,\n"
      "tostring(e.tool), type(a) == 'table' and tostring(a.to) or tostring(a),\n"
      "tostring(e.reserve_usd), tostring(at.kind), at.node, at.next.tool, at.next.class,\n"
      "at.budget.left }, ' ')) end }";
  static const struct {
    const char *request;
    int64_t reserve;
    const char *seen;
  } cases[] = {
      {"{\"name\":\"send\",\"arguments\":{\"to\":\"bob\"}}", 0, "send bob 0.0"},
      {"{\"name\":\"send\",\"arguments\":\"{\\\"to\\\":\\\"bob\\\"}\"}", 1500000, "send bob 1.5"},
      {"{\"name\":\"send\",\"arguments\":\"{not\"}", CK_RESERVE_UNMETERED, "send {not nil"},
      {"{\"name\":\"send\"}", CK_RESERVE_UNPRICED, "send nil nil"},
      {"{\"server\":\"box\",\"list\":true,\"name\":\"x\"}", 0, "nil nil 0.0"}};
  ck_policy_engine engine = vm_script_engine(text);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char want[160];
    ck_effect effect = make_effect(cases[i].request, cases[i].reserve);
    ck_leave leave;
    ck_error err = CK_ERROR_INIT;
    snprintf(want, sizeof want, "main/a/tool/1 tool once ann 1 %s nil plan send once 0.75",
             cases[i].seen);
    tap_is_status(engine.permit(&leave, engine.self, &effect, &somewhere, &err), CK_OK, &err,
                  "request %zu", i);
    tap_ok(leave.text && strcmp(leave.text, want) == 0, "is seen: %s", leave.text);
    ck_leave_clear(&leave);
  }
  engine.free(engine.self);
}

int main(void) {
  test_composition();
  test_views();
  return tap_done();
}
