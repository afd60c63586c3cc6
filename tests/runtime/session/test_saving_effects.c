/* test_saving_effects.c - on_save_failure = "continue": what is free and harmless is done while the
 * disk takes nothing; what costs money or cannot be repeated is not begun before it is on the disk,
 * and after a crash nothing of that kind is done twice. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/store/faulty.h"
#include "tests/tap.h"

enum { EVER = 1000000000 };

/* A harmless effect, a boundary, then the one in question. */
static const char flow[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
    "if not ctx.position then "
    "  ctx.effect { kind = 'tool', class = 'pure', request = { name = 'first', index = 0, "
    "arguments = {} } } "
    "  ctx.boundary('step_complete', { position = { path = 'behind' } }) "
    "end "
    "ctx.effect { kind = '%s', class = '%s', request = { name = 'second', index = 0, arguments = "
    "{}, model = 'm' } } "
    "ctx.boundary('step_complete', { position = { path = 'end' } }) "
    "return 'done' end }";

static ck_profile *make_profile(void) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "brave", &err) == CK_OK, "profile");
  profile->continue_on_save_failure = true;
  return profile;
}

/* Nothing is committed, so a turn ends before all is started: several. */
static ck_status turn(fake_flow *s) {
  for (int i = 0; i < 5 && s->status == CK_E_PENDING; i++) fake_flow_turn(s);
  return s->status;
}

typedef struct fixture {
  const char *kind, *class;
  int64_t reserve; /* what it may cost */
  bool begins;     /* though nothing can be saved */
} fixture;

static void open_fixture(fake_flow *s, const fixture *at, ck_profile *profile, int number) {
  static char url[512];
  char text[1024], id[32];
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("effects.db"));
  snprintf(text, sizeof text, flow, at->kind, at->class);
  snprintf(id, sizeof id, "fixture-%d", number);
  *s = (fake_flow){.profile = profile, .url = url, .reserve = at->reserve};
  fake_flow_open(s, text);
  fake_flow_start(s, id);
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  fake_flow_ok(s, "tool/1", "\"1\"", 0);
  turn(s);
}

static const char *second(const fixture *at) {
  return strcmp(at->kind, "model") == 0 ? "behind/model/1" : "behind/tool/1";
}
static const char *answer(const fixture *at) {
  return strcmp(at->kind, "model") == 0 ? "{\"role\":\"assistant\",\"content\":\"x\"}" : "\"2\"";
}

/* The disk stays full, and the process dies. */
static void test_full(const fixture *at, int number) {
  char id[32];
  fake_flow s;
  ck_profile *profile = make_profile();
  snprintf(id, sizeof id, "fixture-%d", number);
  open_fixture(&s, at, profile, number);
  const char *what = at->reserve ? "that costs money" : "that is free";
  if (at->begins)
    tap_ok(fake_flow_is_running(&s, second(at)) && s.status == CK_E_PENDING,
           "a %s of class %s %s is begun", at->kind, at->class, what);
  else
    tap_ok(!fake_flow_is_running(&s, second(at)) && s.status == CK_E_FULL,
           "a %s of class %s %s is not begun: the session stops", at->kind, at->class, what);
  if (at->begins) {
    fake_flow_ok(&s, second(at), answer(at), 0);
    tap_is_status(turn(&s), CK_E_FULL, NULL,
                  "it goes on to its end, which is not reported before it is saved");
  }
  fake_flow_crash(&s);
  faulty_heal();
  fake_flow_resume(&s, id);
  tap_ok(fake_flow_is_running(&s, "start/tool/1"),
         "after a crash the session goes on from what was saved");
  fake_flow_ok(&s, "start/tool/1", "\"1\"", 0);
  fake_flow_ok(&s, second(at), answer(at), at->reserve);
  tap_ok(s.result.status == CK_SESSION_COMPLETED, "to its end");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* The outcome of one that was begun before the disk was full. */
static void test_outcome(const fixture *at, int number) {
  char id[32];
  fake_flow s;
  ck_profile *profile = make_profile();
  snprintf(id, sizeof id, "fixture-%d", number);
  open_fixture(&s, at, profile, number);
  tap_must(fake_flow_is_running(&s, second(at)) || s.status == CK_E_FULL, "it was tried");
  fake_flow_crash(&s);
  faulty_heal();
  fake_flow_resume(&s, id);
  fake_flow_ok(&s, "start/tool/1", "\"1\"", 0);
  tap_must(fake_flow_is_running(&s, second(at)), "it is begun");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  fake_flow_ok(&s, second(at), answer(at), at->reserve);
  tap_is_status(turn(&s), CK_E_FULL, NULL,
                "a %s of class %s: its outcome does not wait, or the end does not", at->kind,
                at->class);
  fake_flow_crash(&s);
  faulty_heal();
  fake_flow_resume(&s, id);
  bool stops = s.result.status == CK_SESSION_IN_DOUBT, again = fake_flow_is_running(&s, second(at));
  bool harmless = strcmp(at->class, "pure") == 0 ||
                  strcmp(at->class, "idempotent") == 0; /* nothing here can be probed */
  tap_ok(harmless ? again : stops && !again, "%s",
         harmless ? "what may be is asked for again" : "what must not be repeated is in doubt");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* The disk has room again before what must be saved: nothing is lost. */
static void test_heals(void) {
  const fixture paid = {"model", "pure", 1000, false};
  fake_flow s;
  ck_profile *profile = make_profile();
  faulty_heal();
  open_fixture(&s, &(fixture){"tool", "pure", 0, true}, profile, 100);
  tap_must(fake_flow_is_running(&s, "behind/tool/1"), "the second effect runs unsaved");
  faulty_heal();
  fake_flow_ok(&s, "behind/tool/1", "\"2\"", 0);
  turn(&s);
  tap_ok(s.result.status == CK_SESSION_COMPLETED, "the session ends as if nothing had been");
  ck_saving saving;
  ck_session_get_saving(&saving, s.session);
  tap_ok(!saving.failing && saving.late == 1, "one checkpoint came late");
  fake_flow_close(&s);
  open_fixture(&s, &paid, profile, 101);
  tap_must(s.status == CK_E_FULL, "what costs money does not run ahead");
  fake_flow_close(&s);
  faulty_heal();
  ck_profile_free(profile);
}

int main(void) {
  static const fixture fixtures[] = {
      {"tool", "pure", 0, true},  {"tool", "idempotent", 0, true},
      {"model", "pure", 0, true}, {"tool", "reconcilable", 0, false},
      {"tool", "once", 0, false}, {"model", "pure", 1000, false},
  };
  faulty_install();
  for (int i = 0; i < (int)(sizeof fixtures / sizeof *fixtures); i++) {
    test_full(&fixtures[i], i);
    test_outcome(&fixtures[i], 50 + i);
  }
  test_heals();
  return tap_done();
}
