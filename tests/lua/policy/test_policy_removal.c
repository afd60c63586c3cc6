/* test_policy_removal.c - prune, redact and migrate: composed as promised, and closed when a policy
 * fails. */
/* link: -Wl,--wrap=ck_vm_new */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"
#include "tests/lua/still_vm.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

enum { COUNT = 6, MANY = 20000 };

static ck_policy_engine open_engine(const char *const *texts, size_t count) {
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, count, &err) == CK_OK, "policies load: %s", err.text);
  return engine;
}

static ck_checkpoint_info *make_infos(size_t count) {
  ck_checkpoint_info *infos = calloc(count, sizeof *infos);
  tap_must(infos != NULL, "a history");
  for (size_t i = 0; i < count; i++) {
    snprintf(infos[i].id, sizeof infos[i].id, "c%zu", i + 1);
    infos[i].seq = (int64_t)i * 10 + 10;
    infos[i].parent = (int64_t)i * 10;
    infos[i].kind = CK_BOUNDARY_TOOL_ROUND;
    infos[i].created_ms = 1000 * (int64_t)i;
    infos[i].clean = i % 2 == 0;
    infos[i].stored_bytes = 100;
    infos[i].totals.cost_micros = 500000 * (int64_t)i;
  }
  return infos;
}

/* ---- prune ---- */

/* Gives "d", "k" or "." for each checkpoint. */
static ck_status prune(char out[COUNT + 1], const ck_policy_engine *engine, ck_error *err) {
  bool drop[COUNT] = {false}, keep[COUNT] = {false};
  ck_checkpoint_info *infos = make_infos(COUNT);
  ck_value *info;
  tap_must(ck_value_new(&info, ck_bytes_text("{\"node\":\"n\",\"next\":\"m\"}"), err) == CK_OK,
           "an info");
  infos[1].info = info;
  ck_prune_plan plan = {.drop = drop, .keep = keep};
  ck_history history = {infos, COUNT, 9000};
  ck_status status = engine->prune(&plan, engine->self, &history, err);
  for (int i = 0; i < COUNT; i++) out[i] = drop[i] ? 'd' : keep[i] ? 'k' : '.';
  out[COUNT] = '\0';
  ck_value_free(info);
  free(infos);
  return status;
}

static void check_prune(const char *const *bodies, size_t count, ck_status want, const char *plan,
                        const char *text) {
  static const char form[] =
      "return { name = 'p%zu', version = 1, prune = function(history, opt)\n%s\nend }";
  ck_buffer texts[3] = {{0}};
  const char *list[3];
  char got[COUNT + 1];
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < count; i++) {
    ck_buffer_append_format(&texts[i], form, i + 1, bodies[i]);
    list[i] = texts[i].data;
  }
  ck_policy_engine engine = open_engine(list, count);
  tap_is_status(prune(got, &engine, &err), want, &err, "prune: %s", bodies[count - 1]);
  tap_is_text(got, plan, "gives the plan %s", plan);
  if (want != CK_OK)
    tap_ok(
        strstr(err.text, text) && strstr(err.text, "policy \"p") && strstr(err.text, "\", prune: "),
        "%s: %s", text, err.text);
  engine.free(engine.self);
  for (size_t i = 0; i < count; i++) ck_buffer_clear(&texts[i]);
}

/* A bit for each policy: one can drop some and keep others; one that failed ends the question. */
static void test_prune_answers(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, prune = function()\n"
      "return { drop = { 'c1' }, keep = { 'c2' } } end }",
      "return { name = 'b', version = 1, checkpoint = function() end }",
      "return { name = 'c', version = 1, prune = function() return { drop = {} } end }",
      "return { name = 'd', version = 1, prune = function() return { keep = { 'c3' } } end }",
      "return { name = 'e', version = 1, prune = function() error 'lost' end }",
      "return { name = 'f', version = 1, prune = function() return { drop = { 'c4' } } end }"};
  bool drop[COUNT] = {false}, keep[COUNT] = {false};
  ck_checkpoint_info *infos = make_infos(COUNT);
  ck_policy_engine engine = open_engine(texts, 6);
  ck_prune_plan plan = {.drop = drop, .keep = keep};
  ck_history history = {infos, COUNT, 9000};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine.prune(&plan, engine.self, &history, &err), CK_E_POLICY, &err,
                "of six policies one fails");
  tap_is_int((int64_t)plan.answers.policies[CK_ANSWER_DROP], 1, "the first drops one");
  tap_is_int((int64_t)plan.answers.policies[CK_ANSWER_KEEP], 1 | 8, "and keeps one, as the fourth");
  tap_is_int((int64_t)plan.answers.policies[CK_ANSWER_NO_OPINION], 4, "the third has no opinion");
  tap_is_int((int64_t)plan.answers.policies[CK_ANSWER_FAILED], 16, "the fifth fails");
  engine.free(engine.self);
  free(infos);
}

/* Of each checkpoint, whatever becomes of it: the bits of the policies. */
static void test_prune_masks(void) {
  const char *texts[] = {
      "return { name = 'a', version = 1, prune = function()\n"
      "return { drop = { 'c1', 'c3' } } end }",
      "return { name = 'b', version = 1, prune = function() return { keep = { 'c3' } } end }",
      "return { name = 'c', version = 1, prune = function()\n"
      "return { drop = { 'c3', 'c6', 'c6' } } end }"};
  static const uint64_t dropped[COUNT] = {1, 0, 1 | 4, 0, 0, 4}, kept[COUNT] = {0, 0, 2};
  bool drop[COUNT] = {false}, keep[COUNT] = {false};
  uint64_t dropped_by[COUNT] = {0}, kept_by[COUNT] = {0};
  ck_checkpoint_info *infos = make_infos(COUNT);
  ck_policy_engine engine = open_engine(texts, 3);
  ck_prune_plan plan = {drop, keep, dropped_by, kept_by, {0}};
  ck_history history = {infos, COUNT, 9000};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine.prune(&plan, engine.self, &history, &err), CK_OK, &err, "three policies");
  tap_ok(memcmp(dropped_by, dropped, sizeof dropped) == 0, "who drops which is known of each");
  tap_ok(memcmp(kept_by, kept, sizeof kept) == 0, "and who keeps which");
  tap_ok(drop[0] && !drop[2] && drop[5], "kept is what any keeps");
  engine.free(engine.self);
  free(infos);
}

static void test_prune(void) {
  static const struct {
    const char *bodies[3];
    ck_status status;
    const char *plan, *text;
  } cases[] = {
      {{"return nil"}, CK_OK, "......", NULL},
      {{"return {}"}, CK_OK, "......", NULL},
      {{"return { drop = { 'c1', history[2].id } }"}, CK_OK, "dd....", NULL},
      {{"return { drop = { 'c1', 'c2', 'c1' } }", "return { keep = { 'c2' } }"},
       CK_OK,
       "dk....",
       NULL},
      {{"return { drop = { 'c1' } }", "return { drop = { 'c6' } }", "return { keep = { 'c5' } }"},
       CK_OK,
       "d...kd",
       NULL},
      {{"local d = {} for _, c in ipairs(history) do if not c.is_clean then d[#d + 1] = c.id end "
        "end return { drop = d }"},
       CK_OK,
       ".d.d.d",
       NULL},
      {{"local c = history[2] return { drop = { c.node == 'n' and c.next == 'm' and c.agent == nil "
        "and c.kind == 'tool_round' and c.bytes == 100\n"
        "and c.cost_usd == 0.5 and c.seq == 20 and c.parent == 10 and history.now - c.created == "
        "8000 and #history == 6 and c.id or '?' } }"},
       CK_OK,
       ".d....",
       NULL},
      {{"return { drop = { 'c1' } }", "error 'no'"}, CK_E_POLICY, "......", "p2.lua:2: no"},
      {{"return { drop = { 'c1' }, keep = { 'c2' } }", "while true do end"},
       CK_E_POLICY,
       ".k....",
       "p2.lua:2: the budget of 1000000 instructions"},
      {{"return 5"},
       CK_E_POLICY,
       "......",
       "p1.lua:1: the answer: nil or { drop = {id, …}, keep = {id, …} } expected, got a number"},
      {{"return history"}, CK_E_POLICY, "......", "expected, got a table"},
      {{"return { dorp = {} }"},
       CK_E_POLICY,
       "......",
       "unknown key 'dorp' (did you mean 'drop'?)"},
      {{"return { drop = 'c1' }"}, CK_E_POLICY, "......", "drop: a list of ids expected, got 'c1'"},
      {{"return { drop = { c1 = true } }"},
       CK_E_POLICY,
       "......",
       "drop: a list without names and gaps expected"},
      {{"return { drop = { 'c1', 'c9' } }"},
       CK_E_POLICY,
       "......",
       "drop[2]: the id of a checkpoint of this history expected, got 'c9'"},
      {{"return { drop = { 'c1', 2 } }"},
       CK_E_POLICY,
       "......",
       "drop[2]: the id of a checkpoint of this history expected, got a number"},
      {{"return { drop = { history[1] } }"},
       CK_E_POLICY,
       "......",
       "drop[1]: the id of a checkpoint"},
      {{"return { keep = { ('c'):rep(1000) } }"},
       CK_E_POLICY,
       "......",
       "keep[1]: the id of a checkpoint"},
      {{"history[1] = nil"}, CK_E_POLICY, "......", "read-only"},
      {{"history[1].id = 'x'"}, CK_E_POLICY, "......", "the view 'checkpoint' is read-only"},
      {{"return { drop = { history[1].idd } }"},
       CK_E_POLICY,
       "......",
       "checkpoint has no field 'idd' (did you mean 'id'?)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t count = cases[i].bodies[1] ? cases[i].bodies[2] ? 3 : 2 : 1;
    check_prune(cases[i].bodies, count, cases[i].status, cases[i].plan, cases[i].text);
  }
}

static void test_kept_history(void) {
  const char *text = "local kept return { name = 'p', version = 1, prune = function(history) if "
                     "kept then return { drop = { kept[1].id } } end kept = history end }";
  ck_policy_engine engine = open_engine(&text, 1);
  char got[COUNT + 1];
  ck_error err = CK_ERROR_INIT;
  tap_is_status(prune(got, &engine, &err), CK_OK, &err, "a policy keeps its history");
  tap_is_status(prune(got, &engine, &err), CK_E_POLICY, &err,
                "whose checkpoints are void in the next call");
  tap_ok(strstr(err.text, "only valid during the call") != NULL, "and say so: %s", err.text);
  engine.free(engine.self);
}

static void test_long_history(void) {
  const char *text = "return { name = 'p', version = 1, prune = function(history)\n"
                     "local d = {} for i = 1, #history - 100 do d[i] = history[i].id end return { "
                     "drop = d } end }";
  ck_policy_engine engine = open_engine(&text, 1);
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info *infos = make_infos(MANY);
  bool *flags = calloc(2 * MANY, sizeof *flags);
  tap_must(flags != NULL, "flags");
  ck_prune_plan plan = {.drop = flags, .keep = flags + MANY};
  ck_history history = {infos, MANY, 0};
  tap_is_status(engine.prune(&plan, engine.self, &history, &err), CK_OK, &err,
                "%d checkpoints fit the budget", MANY);
  tap_ok(flags[0] && flags[MANY - 101] && !flags[MANY - 100], "and are planned");
  engine.free(engine.self);
  free(flags);
  free(infos);
}

/* ---- redact ---- */

static void check_redact(const char *const *texts, size_t count, const char *key, ck_status want,
                         ck_redact_verdict verdict, const char *ref) {
  ck_policy_engine engine = open_engine(texts, count);
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text("{\"a\":[1,\"s3cret\"]}"), &err) == CK_OK, "a value");
  ck_item item = {.key = key, .kind = CK_EVENT_MESSAGE, .value = value};
  ck_redaction got = {.verdict = CK_REDACT_LEAVE};
  tap_is_status(engine.redact(&got, engine.self, &item, &err), want, &err, "redact: %s",
                texts[count - 1]);
  tap_is_int(got.verdict, verdict, "gives the verdict %d", (int)verdict);
  tap_is_text(got.ref, ref, "and the reference %s", ref ? ref : "(none)");
  free(got.ref);
  ck_value_free(value);
  engine.free(engine.self);
}

#define REDACT(name, body) \
  "return { name = '" name "', version = 1, redact = function(item, opt) " body " end }"

static void test_redact(void) {
  static const struct {
    const char *texts[2];
    const char *key;
    ck_status status;
    ck_redact_verdict verdict;
    const char *ref;
  } cases[] = {
      {{REDACT("a", "")}, "memory.k", CK_OK, CK_REDACT_LEAVE, NULL},
      {{REDACT("a", "if item.key == 'memory.k' and item.kind == nil then return ck.drop end")},
       "memory.k",
       CK_OK,
       CK_REDACT_DROP,
       NULL},
      {{REDACT("a", "if item.key == nil and item.kind == 'message' then return ck.mask end")},
       NULL,
       CK_OK,
       CK_REDACT_MASK,
       NULL},
      {{REDACT("a", "if ck.match(item.value.a[2], '^s\\\\d') then return ck.ref 'env:KEY_1' end")},
       "memory.k",
       CK_OK,
       CK_REDACT_REF,
       "env:KEY_1"},
      {{REDACT("a", "return ck.mask"), REDACT("b", "return ck.drop")},
       "k",
       CK_OK,
       CK_REDACT_DROP,
       NULL},
      {{REDACT("a", "return ck.mask"), REDACT("b", "return ck.ref 'env:X'")},
       "k",
       CK_OK,
       CK_REDACT_MASK,
       NULL},
      {{REDACT("a", "return ck.ref 'env:X'"), REDACT("b", "return ck.mask")},
       "k",
       CK_OK,
       CK_REDACT_MASK,
       NULL},
      {{REDACT("a", "return ck.mask"),
        REDACT("b", "if item.value == '[redacted]' then return ck.drop end")},
       "k",
       CK_OK,
       CK_REDACT_DROP,
       NULL},
      {{REDACT("a", "return ck.mask"), REDACT("b", "")}, "k", CK_OK, CK_REDACT_MASK, NULL},
      {{REDACT("a", "return ck.drop"), REDACT("b", "error 'not asked'")},
       "k",
       CK_OK,
       CK_REDACT_DROP,
       NULL},
      {{REDACT("a", "return ck.ref 'env:X'"), REDACT("b", "error 'no'")},
       "k",
       CK_E_POLICY,
       CK_REDACT_DROP,
       NULL},
      {{REDACT("a", "while true do end")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return 'x'")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return true")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return ck.null")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return { ref = '/etc/passwd' }")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return { ref = 'env:A', more = 1 }")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return ck.ref 'env:'")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "return ck.ref 'env:A B'")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
      {{REDACT("a", "item.value.a = nil")}, "k", CK_E_POLICY, CK_REDACT_DROP, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_redact(cases[i].texts, cases[i].texts[1] ? 2 : 1, cases[i].key, cases[i].status,
                 cases[i].verdict, cases[i].ref);
  }
}

/* ---- migrate ---- */

static void test_migrate(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, migrate = function(doc, from, to) if from == 1 and to == "
      "3 then doc.steps, doc.a = doc.a, nil return doc end\n"
      "if from == 2 then return 5 end end }",
      "return { name = 'b', version = 1, migrate = function(doc, from) if doc.steps then return { "
      "list = doc.steps, b = 2 } end end }"};
  static const struct {
    int from;
    ck_status status;
    const char *want;
  } cases[] = {{1, CK_OK, "{\"b\":2,\"list\":[1,{\"x\":null}]}"},
               {0, CK_OK, "{\"a\":[1,{\"x\":null}]}"},
               {2, CK_E_POLICY, NULL}};
  ck_policy_engine engine = open_engine(texts, 2);
  ck_error err = CK_ERROR_INIT;
  ck_value *doc;
  tap_must(ck_value_new(&doc, ck_bytes_text("{\"a\":[1,{\"x\":null}]}"), &err) == CK_OK,
           "a document");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_value *got = (ck_value *)1;
    tap_is_status(engine.migrate(&got, engine.self, doc, cases[i].from, 3, &err), cases[i].status,
                  &err, "a document of version %d", cases[i].from);
    if (cases[i].want)
      tap_is_bytes(ck_value_bytes(got), ck_bytes_text(cases[i].want),
                   "each sees the output of the one before");
    else
      tap_ok(
          got == NULL && strstr(err.text, "nil or the document as a table expected, got a number"),
          "a failure gives nothing: %s", err.text);
    ck_value_free(got);
  }
  ck_value_free(doc);
  engine.free(engine.self);
}

int main(void) {
  test_prune_answers();
  still_vm_set(true);
  test_prune_masks();
  test_prune();
  test_kept_history();
  test_long_history();
  test_redact();
  test_migrate();
  return tap_done();
}
