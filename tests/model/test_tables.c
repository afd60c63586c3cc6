/* test_tables.c - every row of every table of the model is found by its name, and nothing else
 * is. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/checkpoint.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "tests/tap.h"

/* Numbers and names are on disk: they are written down here a second time so that a change of one
 * is seen. */
static void test_event_kinds(void) {
  static const struct {
    int number;
    const char *name;
  } rows[] = {{1, "session_started"}, {2, "session_resumed"},   {3, "session_paused"},
              {4, "session_failed"},  {5, "session_completed"}, {6, "session_cancelled"},
              {7, "session_forked"},  {8, "session_rewound"},   {9, "session_undone"},
              {10, "message"},        {11, "intent"},           {12, "outcome"},
              {13, "replay"},         {14, "resolution"},       {15, "divergence"},
              {16, "rewind"},         {20, "boundary"},         {21, "policy_error"},
              {22, "edit"},           {23, "delegation"},       {24, "pruned"},
              {25, "update"},         {26, "constraint"},       {27, "saving"},
              {28, "resume_refused"}, {29, "resume_approval"},  {30, "note"},
              {31, "scrubbed"}};
  int named = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tap_is_text(ck_event_kind_name((ck_event_kind)rows[i].number), rows[i].name, "event kind %d",
                rows[i].number);
    tap_is_int(ck_event_kind_of(rows[i].name), rows[i].number, "event kind %s", rows[i].name);
  }
  for (int i = -5; i < 300; i++) named += ck_event_kind_name((ck_event_kind)i) != NULL;
  tap_is_int(named, (int)(sizeof rows / sizeof *rows), "no other number is an event kind");
  uint64_t bits = 0;
  bool fits = true;
#define X(kind, number, text) \
  fits = fits && (number) < 64 && !(bits >> (number)&1), bits |= UINT64_C(1) << (number);
  CK_EVENT_TABLE(X)
#undef X
  tap_ok(fits, "each event kind has a bit of its own in a query");
}

static void test_boundary_kinds(void) {
  static const char *const names[] = {
      NULL,         "node_start",     "node_complete", "edge_transition", "loop_iteration",
      "tool_round", "round_complete", "step_complete", "safe_point",      "user_checkpoint",
      "pause",      "failure",        "edit",          "final",           "before_call"};
  for (int i = -2; i < 20; i++) {
    const char *want = i > 0 && i < 15 ? names[i] : NULL;
    tap_is_text(ck_boundary_kind_name((ck_boundary_kind)i), want, "boundary kind %d", i);
    tap_is_int(ck_boundary_kind_of(want), want ? i : 0, "boundary kind %d by name", i);
    bool always = want && i >= 9 && i <= 13;
    tap_ok(ck_boundary_kind_always((ck_boundary_kind)i) == always,
           "boundary kind %d: always checkpointed or not", i);
  }
}

static void test_session_statuses(void) {
  static const char *const names[] = {NULL,      "running", "paused",    "waiting",  "in_doubt",
                                      "failing", "failed",  "completed", "cancelled"};
  for (int i = -2; i < 12; i++) {
    const char *want = i > 0 && i < 9 ? names[i] : NULL;
    tap_is_text(ck_session_status_name((ck_session_status)i), want, "session status %d", i);
    tap_is_int(ck_session_status_of(want), want ? i : 0, "session status %d by name", i);
    tap_ok(ck_session_status_resumable((ck_session_status)i) == (i > 0 && i < 7),
           "session status %d: resumable or not", i);
  }
}

static void test_effects(void) {
  static const char *const kinds[] = {"model", "tool", "exec", "agent",
                                      "sleep", "ask",  "read", "agent_tool"};
  static const char *const classes[] = {"pure", "idempotent", "reconcilable", "once"};
  static const char *const statuses[] = {"ok", "error", "failed", "ended", "absent", "unknown"};
  tap_is_int(CK_EFFECT_KIND_COUNT, 8, "eight effect kinds");
  tap_is_int(CK_EFFECT_CLASS_COUNT, 4, "four effect classes");
  tap_is_int(CK_OUTCOME_COUNT, 6, "six outcome statuses");
  ck_effect_kind kind = 0;
  ck_effect_class class = 0;
  ck_outcome_status status = 0;
  for (int i = 0; i < 8; i++) {
    tap_is_text(ck_effect_kind_name((ck_effect_kind)i), kinds[i], "effect kind %d", i);
    tap_ok(ck_effect_kind_of(&kind, kinds[i]) && (int)kind == i, "effect kind %s", kinds[i]);
    if (i >= 6) continue;
    tap_is_text(ck_outcome_status_name((ck_outcome_status)i), statuses[i], "outcome status %d", i);
    tap_ok(ck_outcome_status_of(&status, statuses[i]) && (int)status == i, "outcome status %s",
           statuses[i]);
    if (i >= 4) continue;
    tap_is_text(ck_effect_class_name((ck_effect_class)i), classes[i], "effect class %d", i);
    tap_ok(ck_effect_class_of(&class, classes[i]) && (int)class == i, "effect class %s",
           classes[i]);
  }
  tap_ok(!ck_effect_kind_name(CK_EFFECT_KIND_COUNT) && !ck_effect_kind_name((ck_effect_kind)-1),
         "no kind outside the table");
  tap_ok(!ck_effect_class_name(CK_EFFECT_CLASS_COUNT) && !ck_effect_class_name((ck_effect_class)-1),
         "no class outside");
  tap_ok(!ck_outcome_status_name(CK_OUTCOME_COUNT) &&
             !ck_outcome_status_name((ck_outcome_status)INT_MAX),
         "no status outside");
}

static void test_wrong_names(void) {
  static const char *const wrong[] = {NULL, "",     "Message",   "message ", "OK",
                                      "o",  "okay", "running\n", "?"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_effect_kind kind = CK_EFFECT_ASK;
    ck_effect_class class = CK_EFFECT_ONCE;
    ck_outcome_status status = CK_OUTCOME_UNKNOWN;
    tap_ok(ck_event_kind_of(wrong[i]) == 0 && ck_boundary_kind_of(wrong[i]) == 0 &&
               ck_session_status_of(wrong[i]) == 0 && !ck_effect_kind_of(&kind, wrong[i]) &&
               !ck_effect_class_of(&class, wrong[i]) && !ck_outcome_status_of(&status, wrong[i]),
           "wrong name %zu is in no table", i);
  }
}

int main(void) {
  test_event_kinds();
  test_boundary_kinds();
  test_session_statuses();
  test_effects();
  test_wrong_names();
  return tap_done();
}
