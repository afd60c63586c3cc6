/* test_description.c - every kind of checkpoint is one sentence, from all that is known of it down
 * to nothing; those of earlier versions get one made of what they hold. */
#include <string.h>

#include "core/base/json.h"
#include "core/model/description.h"
#include "tests/tap.h"

#define AT(name, ...) \
  { .kind = CK_BOUNDARY_##name, __VA_ARGS__ }

static const struct {
  ck_described what;
  const char *says;
} rows[] = {
    {AT(NODE_START, .node = "publish", .next = "publish"), "before publish"},
    {AT(NODE_START, .node = "publish", .error = "no"), "before another try of publish"},
    {AT(NODE_START), "before a node"},
    {AT(NODE_START, .node = "a", .number = 1), "before a"},
    {AT(NODE_START, .node = "a", .number = 2), "before a (visit 2)"},
    {AT(NODE_COMPLETE, .node = "a", .number = 12), "completed a (visit 12)"},
    {AT(EDGE_TRANSITION, .node = "a", .next = "b", .number = 3), "behind a (visit 3), before b"},
    {AT(EDGE_TRANSITION, .node = "a", .next = "b", .number = 3, .error = "no"),
     "a (visit 3) failed, before b"},
    {AT(SAFE_POINT, .node = "ready", .number = 2), "safe point ready (visit 2)"},
    {AT(NODE_COMPLETE, .node = "collector", .next = "publish"), "completed collector"},
    {AT(NODE_COMPLETE, .agent = "ann"), "completed ann"},
    {AT(EDGE_TRANSITION, .node = "a", .next = "b"), "behind a, before b"},
    {AT(EDGE_TRANSITION, .node = "a"), "behind a"},
    {AT(EDGE_TRANSITION, .node = "a", .next = "b", .error = "no"), "a failed, before b"},
    {AT(LOOP_ITERATION, .node = "a", .number = 3), "before visit 3 of a"},
    {AT(LOOP_ITERATION, .node = "a"), "before another visit of a"},
    {AT(LOOP_ITERATION, .agent = "ann", .number = 4), "turn 4 of ann completed"},
    {AT(TOOL_ROUND, .agent = "ann", .number = 12), "turn 12 of ann completed"},
    {AT(TOOL_ROUND, .node = "a"), "a turn of a completed"},
    {AT(TOOL_ROUND), "a turn completed"},
    {AT(ROUND_COMPLETE, .number = 3, .of = 5, .agent = "chair"), "round 3 of 5 completed"},
    {AT(ROUND_COMPLETE, .number = 6, .of = 5), "round 6 completed"},
    {AT(ROUND_COMPLETE), "a round completed"},
    {AT(STEP_COMPLETE, .node = "buy"), "completed buy"},
    {AT(STEP_COMPLETE, .node = "buy", .error = "no"), "going on without buy"},
    {AT(SAFE_POINT, .node = "ready"), "safe point ready"},
    {AT(SAFE_POINT), "safe point"},
    {AT(USER_CHECKPOINT, .reason = "Send it?"), "waiting: Send it?"},
    {AT(PAUSE, .node = "a", .reason = "user_requested"), "paused: user_requested"},
    {AT(PAUSE), "paused"},
    {AT(FAILURE, .node = "b", .error = "effect main/b#1/exec/1: exit status 1"),
     "failed at b: exit status 1"},
    {AT(FAILURE, .node = "b", .error = "branch 'b': effect main.b@a#1:edge/b#1/exec/2: 1: no"),
     "failed at b: 1: no"},
    {AT(FAILURE, .error = "an effect: of a/b: no"), "failed: an effect: of a/b: no"},
    {AT(FAILURE), "failed"},
    {AT(EDIT, .reason = "memory.n"), "edited: memory.n"},
    {AT(EDIT), "edited"},
    {AT(FINAL), "the session completed"},
};

static void test_sentences(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_buffer out = {0};
    ck_description_append(&out, &rows[i].what);
    tap_is_text(out.data, rows[i].says, ck_boundary_kind_name(rows[i].what.kind));
    ck_buffer_clear(&out);
  }
}

static void test_every_kind(void) {
  static const ck_boundary_kind kinds[] = {
#define X(name, number, text, ...) name,
      CK_BOUNDARY_TABLE(X)
#undef X
  };
  size_t silent = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    ck_buffer out = {0};
    ck_description_append_stored(&out, kinds[i], NULL);
    silent += out.len == 0;
    ck_buffer_clear(&out);
  }
  tap_is_int((int64_t)silent, 0, "no kind is without a sentence, whatever is stored of it");
}

static void test_stored(void) {
  static const struct {
    ck_boundary_kind kind;
    const char *info, *says;
    bool stored;
  } old[] = {
      {CK_BOUNDARY_NODE_COMPLETE, "{\"node\":\"a\",\"next\":\"b\"}", "completed a", false},
      {CK_BOUNDARY_PAUSE, "{}", "paused", false},
      {CK_BOUNDARY_FAILURE, "{\"node\":\"b\",\"description\":\"no \\\"ink\\\"\"}", "no \"ink\"",
       true},
      {CK_BOUNDARY_TOOL_ROUND, "{\"agent\":\"ann\",\"description\":7}", "a turn of ann completed",
       false},
      {CK_BOUNDARY_TOOL_ROUND, "{\"dropped\":true}", "a turn completed", false},
  };
  for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
    ck_buffer out = {0};
    ck_value *info;
    ck_error err = CK_ERROR_INIT;
    tap_must(ck_value_copy(&info, ck_bytes_text(old[i].info), &err) == CK_OK, "%s", err.text);
    ck_description_append_stored(&out, old[i].kind, info);
    tap_is_text(out.data, old[i].says, old[i].info);
    tap_ok(ck_description_is_stored(info) == old[i].stored, "%s: is %sits own", old[i].info,
           old[i].stored ? "" : "not ");
    ck_value_free(info);
    ck_buffer_clear(&out);
  }
}

int main(void) {
  test_sentences();
  test_every_kind();
  test_stored();
  return tap_done();
}
