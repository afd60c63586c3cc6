/* test_policy_items.c - ck.mask and ck.mask_personal of the item itself answer what they answer of
 * its value, whatever that is; a history that is made when it is looked into is the list that it
 * stands for. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

#define POLICY(body) "return { name = 'p', version = 1, redact = function(item, opt) " body " end }"

static const struct {
  const char *of_item, *of_value;
} pairs[] = {
    {POLICY("return ck.mask_personal(item)"),
     POLICY("return ck.mask_personal(item.value, nil, item.key and ck.match(item.key, '[^.]*$'))")},
    {POLICY("return ck.mask_personal(item, { 'card', 'phone' })"),
     POLICY("return ck.mask_personal(item.value, { 'card', 'phone' }, "
            "item.key and ck.match(item.key, '[^.]*$'))")},
    {POLICY("return ck.mask(item, { 'Ada', 'k\\u{e9}', 'phone' }, { words = true })"),
     POLICY("return ck.mask(item.value, { 'Ada', 'k\\u{e9}', 'phone' }, { words = true })")},
    {POLICY("return ck.mask(item, 'A.a')"), POLICY("return ck.mask(item.value, 'A.a')")},
};

/* ---- values made by chance ---- */

static const char *const texts[] = {"Ada",
                                    "Adam k\\u00e9",
                                    "4111111111111111",
                                    "4111 1111 1111 1111",
                                    "0301234567",
                                    "a@b.example.org",
                                    "",
                                    "\\\"Ada\\\"\\nAda",
                                    "[redacted:card:000000000000] Ada",
                                    "[redacted:policy:000000000000]",
                                    "plain"};
static const char *const names[] = {"a", "phone", "phone\\u005fnumber", "n", "cellPhone"};
static const char *const others[] = {
    "4111111111111111", "0", "-12", "4.111111111111111e15", "null", "true", "{}", "[]"};

#define ANY(list) list[(size_t)rand() % (sizeof list / sizeof *list)]

static void append_any(ck_buffer *out, int depth) {
  int kind = rand() % 8;
  if (depth > 3 || kind < 3) {
    ck_buffer_append_format(out, "\"%s\"", ANY(texts));
  } else if (kind < 5) {
    ck_buffer_append_text(out, ANY(others));
  } else {
    bool object = kind == 5;
    size_t count = (size_t)rand() % 4, first = (size_t)rand();
    ck_buffer_append_char(out, object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
      if (i) ck_buffer_append_char(out, ',');
      if (object) ck_buffer_append_format(out, "\"%s\":", names[(first + i) % 5]);
      append_any(out, depth + 1);
    }
    ck_buffer_append_char(out, object ? '}' : ']');
  }
}

static bool is_same(const ck_policy_engine *a, const ck_policy_engine *b, const ck_item *item) {
  ck_redaction one = {0}, two = {0};
  ck_error err_one = CK_ERROR_INIT, err_two = CK_ERROR_INIT;
  ck_status first = a->redact(&one, a->self, item, &err_one);
  ck_status second = b->redact(&two, b->self, item, &err_two);
  bool same = first == second && one.verdict == two.verdict && !one.value == !two.value &&
              (!one.value || ck_bytes_equal(ck_value_bytes(one.value), ck_value_bytes(two.value)));
  ck_value_free(one.value);
  ck_value_free(two.value);
  return same;
}

static void test_items(void) {
  enum { ROUNDS = 2000 };
  static const char *const keys[] = {"memory.note", "memory.phone", "outputs.a.cell_phone", NULL};
  srand(7);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    ck_policy_engine a = vm_script_engine(pairs[i].of_item),
                     b = vm_script_engine(pairs[i].of_value);
    int wrong = 0;
    for (int round = 0; round < ROUNDS && wrong < 3; round++) {
      ck_buffer json = {0};
      ck_error err = CK_ERROR_INIT;
      ck_value *value;
      append_any(&json, 0);
      tap_must(ck_value_new(&value, ck_buffer_bytes(&json), &err) == CK_OK, "a value: %s",
               err.text);
      ck_item item = {.key = ANY(keys), .kind = CK_EVENT_MESSAGE, .value = value};
      bool same = is_same(&a, &b, &item);
      if (!same) tap_diag("%s: %s", item.key ? item.key : "an event", json.data);
      wrong += !same;
      ck_value_free(value);
      ck_buffer_clear(&json);
    }
    tap_is_int(wrong, 0, "of %d items each is answered as its value: %s", (int)ROUNDS,
               pairs[i].of_item);
    a.free(a.self);
    b.free(b.self);
  }
}

/* A kept item is no item any more: nothing of it can be read. */
static void test_kept(void) {
  ck_policy_engine engine = vm_script_engine(
      "local kept return { name = 'p', version = 1, redact = function(item) kept = item end,\n"
      "in_doubt = function() return ck.mask(kept, { 'x' }) end }");
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  ck_redaction got;
  ck_doubt_answer answer = {0};
  tap_must(ck_value_text(&value, ck_bytes_text("x"), &err) == CK_OK, "a value");
  ck_item item = {.key = "memory.k", .value = value};
  tap_is_status(engine.redact(&got, engine.self, &item, &err), CK_OK, &err, "an item is kept");
  ck_value_free(value);
  ck_effect effect = {.scope = "main", .key = "a", .kind = CK_EFFECT_TOOL, .class = CK_EFFECT_ONCE};
  tap_is_status(engine.in_doubt(&answer, engine.self, &effect, &err), CK_E_POLICY, &err,
                "it is not masked in another call");
  tap_ok(strstr(err.text, "or the item that is asked about, expected"), "and says so: %s",
         err.text);
  engine.free(engine.self);
}

/* ---- a history ---- */

static const char *const looks[] = {
    "return { drop = { history[1].id } }",
    "local d = {} for i, c in ipairs(history) do if i == 1 then d[1] = c.id end end "
    "return { drop = d }",
    "local d = {} for k, c in pairs(history) do if k == 1 then d[1] = c.id end end "
    "return { drop = d }",
    "local a, b, c = table.unpack(history) return c and { drop = { a.id } }",
    "local k, c = next(history) return #history == 3 and { drop = { c.id } }",
    "return history.now == 3000 and type(history) == 'table' and history[4] == nil and "
    "history[1] == history[1] and { drop = { history[1].id } }",
};

static void test_history(void) {
  ck_checkpoint_info infos[] = {{.id = "c1", .seq = 1, .kind = CK_BOUNDARY_TOOL_ROUND},
                                {.id = "c2", .seq = 2, .kind = CK_BOUNDARY_TOOL_ROUND},
                                {.id = "c3", .seq = 3, .kind = CK_BOUNDARY_TOOL_ROUND}};
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    ck_buffer text = {0};
    ck_error err = CK_ERROR_INIT;
    ck_buffer_append_format(
        &text, "return { name = 'p', version = 1, prune = function(history) %s end }", looks[i]);
    ck_policy_engine engine = vm_script_engine(text.data);
    for (int round = 0; round < 2; round++) {
      bool drop[3] = {false}, keep[3] = {false};
      tap_is_status(engine.prune(&(ck_prune_plan){.drop = drop, .keep = keep}, engine.self,
                                 &(ck_history){infos, 3, 3000}, &err),
                    CK_OK, &err, "%s", looks[i]);
      tap_ok(drop[0] && !drop[1] && !drop[2], "drops the first");
    }
    engine.free(engine.self);
    ck_buffer_clear(&text);
  }
}

int main(void) {
  test_items();
  test_kept();
  test_history();
  return tap_done();
}
