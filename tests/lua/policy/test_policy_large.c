/* test_policy_large.c - a hook has as much more budget as it is shown more: texts of a MiB, lists
 * of 200,000 lines, documents and histories of any length are masked, kept, migrated and pruned. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

#define Z "[redacted:policy:000000000000]"

enum { MIB = 1 << 20, LINES = 200000 };

static size_t count_of(ck_bytes in, const char *text) {
  size_t count = 0, len = strlen(text);
  for (const char *at = in.data, *end = in.data + in.len;
       (at = memmem(at, (size_t)(end - at), text, len)); at += len)
    count++;
  return count;
}

/* JSON: `begin`, then `part` `times` times with `between`, then `end`. */
static ck_value *make(const char *begin, const char *part, const char *between, size_t times,
                      const char *end) {
  ck_buffer text = {0};
  ck_value *value;
  ck_error err;
  ck_buffer_append_text(&text, begin);
  for (size_t i = 0; i < times; i++) {
    if (i > 0) ck_buffer_append_text(&text, between);
    ck_buffer_append_text(&text, part);
  }
  ck_buffer_append_text(&text, end);
  tap_must(ck_value_from(&value, &text, &err) == CK_OK, "a value");
  ck_buffer_clear(&text);
  return value;
}

typedef struct large {
  const char *what, *redact;
  const char *begin, *part, *between;
  size_t times;
  const char *end;
  size_t masks; /* in what is written; 0: it is left as it is */
  const char *gone;
} large;

#define NAMES "ck.mask(ck.mask(v, 'Ada Lovelace'), 'Bob|Eve')"
#define CARD "'\\\\b\\\\d{4}([ -]?\\\\d{4}){3}\\\\b'"
/* as the fresh user wrote it */
#define CARDS "local v = ck.mask(item.value, " CARD ") return " NAMES
#define LOOSE "return ck.mask(item.value, '(?<!\\\\d)(?:\\\\d[ -]?){12,18}\\\\d(?!\\\\d)')"

static const large items[] = {
    {"a text of a MiB that matches at its beginning alone", CARDS, "\"card 4111 1111 1111 1111 ",
     "a", "", MIB, "\"", 1, "4111"},
    {"a text of four MiB", CARDS, "\"card 4111 1111 1111 1111 ", "a", "", 4 * MIB, "\"", 1, "4111"},
    {"a text of a MiB with 10,000 matches", CARDS, "\"",
     "Bob has 4111-1111-1111-1111, in all of these words, and he, who is called that, is not the "
     "one",
     " ", 10000, "\"", 20000, "Bob"},
    {"a text of a MiB of nothing but matches is masked whole", "return ck.mask(item.value, '1234')",
     "\"", "1234", " ", MIB / 5, "\"", 1, "1234"},
    {"so is one of digits alone", "return ck.mask(item.value, '\\\\d')", "\"", "7", "", MIB, "\"",
     1, "7"},
    {"200,000 short lines in a list", CARDS, "[", "\"Bob\"", ",", LINES, "]", LINES, "Bob"},
    {"200,000 short lines that do not match", CARDS, "[", "\"Joe\"", ",", LINES, "]", 0, NULL},
    {"200,000 short lines in a text", CARDS, "\"", "Joe\\n", "", LINES, "\"", 0, NULL},
    {"a MiB of digits, not one of them a card", LOOSE, "\"", "411 x ", "", MIB / 6, "\"", 0, NULL},
    {"a MiB of long numbers", LOOSE, "\"", "4111 1111 1111 1111 and 4111-1111 in many other words ",
     "", MIB / 50, "\"", MIB / 50, "4111 1111"},
    {"what is masked stays, however much of it there is", "return ck.mask(item.value, 'Bob')", "\"",
     Z " and", " ", 20000, " Bob\"", 20001, "Bob"},
};

static void check_redact(const large *c) {
  ck_error err = CK_ERROR_INIT;
  ck_buffer script = {0};
  ck_redaction got = {0};
  ck_buffer_append_format(
      &script, "return { name = 'a', version = 1, redact = function(item) %s end }", c->redact);
  ck_policy_engine engine = vm_script_engine(script.data);
  ck_value *value = make(c->begin, c->part, c->between, c->times, c->end);
  ck_item item = {.key = "memory.k", .value = value};
  tap_is_status(engine.redact(&got, engine.self, &item, &err), CK_OK, &err, "%s", c->what);
  tap_is_int(got.verdict, c->masks ? CK_REDACT_REPLACE : CK_REDACT_LEAVE, "its verdict");
  if (got.value) {
    tap_is_int((int64_t)count_of(ck_value_bytes(got.value), Z), (int64_t)c->masks, "its masks");
    tap_is_int((int64_t)count_of(ck_value_bytes(got.value), c->gone), 0, "nothing is left");
  }
  ck_value_free(got.value);
  ck_value_free(value);
  ck_buffer_clear(&script);
  engine.free(engine.self);
}

/* What a hook may do to an item stays bounded by the item's size. */
static void check_bounded(void) {
  ck_error err = CK_ERROR_INIT;
  ck_redaction got = {0};
  ck_policy_engine engine = vm_script_engine(
      "return { name = 'a', version = 1, redact = function(item) local v = item.value "
      "while true do v = ck.mask(v, 'b') end end }");
  ck_value *value = make("\"", "a", "", 10240 - 2, "\"");
  ck_item item = {.key = "memory.k", .value = value};
  tap_is_status(engine.redact(&got, engine.self, &item, &err), CK_E_POLICY, &err,
                "one that does not end is stopped");
  tap_ok(strstr(err.text, "the budget of 1320000 instructions is spent"),
         "at 32,000 instructions for each of ten KiB and the million: %s", err.text);
  ck_value_free(value);
  engine.free(engine.self);
}

static void check_migrate(void) {
  ck_error err = CK_ERROR_INIT;
  ck_policy_engine engine =
      vm_script_engine("return { name = 'a', version = 1, migrate = function(document) "
                       "for i = 1, #document['memory.l'] do document['memory.l'][i] = 'x' end "
                       "return document end }");
  ck_value *value = make("{\"memory.l\":[", "\"Bob\"", ",", LINES, "]}"), *got = NULL;
  tap_is_status(engine.migrate(&got, engine.self, value, 1, 2, &err), CK_OK, &err,
                "a state of 200,000 lines is migrated");
  if (got) tap_is_int((int64_t)count_of(ck_value_bytes(got), "\"x\""), LINES, "each of them");
  ck_value_free(got);
  ck_value_free(value);
  engine.free(engine.self);
}

static void check_prune(void) {
  enum { COUNT = 50000 };
  ck_error err = CK_ERROR_INIT;
  ck_policy_engine engine = vm_script_engine(
      "return { name = 'a', version = 1, prune = function(history) local drop = {} "
      "for i = 1, #history - 1 do local c = history[i] "
      "if c.is_clean or c.kind == 'final' or c.bytes < 10 then drop[#drop + 1] = c.id end end "
      "return { drop = drop } end }");
  ck_checkpoint_info *infos = calloc(COUNT, sizeof *infos);
  bool *drop = calloc(COUNT, sizeof *drop), *keep = calloc(COUNT, sizeof *keep);
  tap_must(infos && drop && keep, "memory");
  for (size_t i = 0; i < COUNT; i++) snprintf(infos[i].id, sizeof infos[i].id, "c%06zu", i);
  ck_history history = {.checkpoints = infos, .count = COUNT};
  ck_prune_plan plan = {.drop = drop, .keep = keep};
  tap_is_status(engine.prune(&plan, engine.self, &history, &err), CK_OK, &err,
                "a history of 50,000 checkpoints is pruned");
  size_t dropped = 0;
  for (size_t i = 0; i < COUNT; i++) dropped += drop[i];
  tap_is_int((int64_t)dropped, COUNT - 1, "all but the last");
  free(infos);
  free(drop);
  free(keep);
  engine.free(engine.self);
}

int main(void) {
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) check_redact(&items[i]);
  check_bounded();
  check_migrate();
  check_prune();
  return tap_done();
}
