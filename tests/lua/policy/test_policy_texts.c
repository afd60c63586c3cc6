/* test_policy_texts.c - a redact hook puts other texts in the place of an item's: only texts, in
 * turn over several policies, the same again when it is asked again, or nothing is written. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

#define REDACT(name, body) \
  "return { name = '" name "', version = 1, redact = function(item, opt) " body " end }"
#define Z "[redacted:policy:000000000000]"

typedef struct one {
  const char *texts[2], *value;
  ck_redact_verdict verdict; /* DROP with `want`: refused, with that in its error */
  const char *want;
} one;

static void check(const one *c) {
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  bool fails = c->verdict == CK_REDACT_DROP && c->want;
  tap_must(vm_script_engines(&engine, c->texts, c->texts[1] ? 2 : 1, &err) == CK_OK, "loads: %s",
           err.text);
  tap_must(ck_value_new(&value, ck_bytes_text(c->value), &err) == CK_OK, "a value");
  ck_item item = {.key = "memory.k", .value = value};
  ck_redaction got = {0};
  tap_is_status(engine.redact(&got, engine.self, &item, &err), fails ? CK_E_POLICY : CK_OK, &err,
                "%s", c->texts[0]);
  tap_is_int(got.verdict, c->verdict, "its verdict");
  if (c->verdict == CK_REDACT_REPLACE)
    tap_is_bytes(ck_value_bytes(got.value), ck_bytes_text(c->want), "and what is written");
  else
    tap_ok(!got.value, "and no value");
  if (fails) tap_ok(strstr(err.text, c->want), "its error says '%s': %s", c->want, err.text);
  free(got.ref);
  ck_value_free(got.value);
  ck_value_free(value);
  engine.free(engine.self);
}

/* ---- what can be replaced ---- */

static const one replaced[] = {
    {{REDACT("a", "return 'Customer 1 pays'")},
     "\"Ada pays\"",
     CK_REDACT_REPLACE,
     "\"Customer 1 pays\""},
    {{REDACT("a", "return item.value")}, "\"Ada\\u0020pays\"", CK_REDACT_LEAVE, NULL},
    {{REDACT("a", "return item.value")},
     "{\"b\":[1.50,\"x\",null],\"a\":{}}",
     CK_REDACT_LEAVE,
     NULL},
    {{REDACT("a", "return ck.mask(item.value, 'Ada')")},
     "\"Ada, Ada and Bob\"",
     CK_REDACT_REPLACE,
     "\"" Z ", " Z " and Bob\""},
    {{REDACT("a", "return ck.mask(item.value, 'Eve')")}, "\"Ada\"", CK_REDACT_LEAVE, NULL},
    /* all texts of a value, no names, no numbers, which stay as they were written */
    {{REDACT("a", "return ck.mask(item.value, '\\\\d{4}')")},
     "{\"1234\":\"at 1234\",\"n\":12345e-1,\"l\":[\"1234\",{\"z\":\"1234x\",\"a\":[]}]}",
     CK_REDACT_REPLACE,
     "{\"1234\":\"at " Z "\",\"n\":12345e-1,\"l\":[\"" Z "\",{\"z\":\"" Z "x\",\"a\":[]}]}"},
    /* what is masked stays */
    {{REDACT("a", "return ck.mask(item.value, '.+')")},
     "\"a " Z " b\"",
     CK_REDACT_REPLACE,
     "\"" Z Z Z "\""},
    {{REDACT("a", "return ck.mask(item.value, '[0-9a-z:]+')")}, "\"" Z "\"", CK_REDACT_LEAVE, NULL},
    {{REDACT("a", "return ck.mask(item.value, 'é')")},
     "\"caf\\u00e9\"",
     CK_REDACT_REPLACE,
     "\"caf" Z "\""},
    /* JSON in a text: escapes hide nothing that a program reads out of it */
    {{REDACT("a", "return ck.mask(item.value, 'Jörg')")},
     "\"{\\\"to\\\": \\\"J\\\\u00f6rg\\\"}\"",
     CK_REDACT_REPLACE,
     "\"{\\\"to\\\": \\\"" Z "\\\"}\""},
    {{REDACT("a", "return ck.mask(item.value, '😀@a/b')")},
     "[\"{\\\"to\\\": \\\"\\\\ud83D\\\\uDE00\\\\u0040a\\\\/b\\\"}\"]",
     CK_REDACT_REPLACE,
     "[\"{\\\"to\\\": \\\"" Z "\\\"}\"]"},
    /* what must stay escaped stays so, and names of the document do */
    {{REDACT("a", "return ck.mask(item.value, 'x')")},
     "{\"n\\\\u00f6\":\"x\\\\u0022\\\\u005c\\\\u000a\\\\ud83d\\\\u00zz\\\\\\\\u00f6\"}",
     CK_REDACT_REPLACE,
     "{\"n\\\\u00f6\":\"" Z "\\\\u0022\\\\u005c\\\\u000a\\\\ud83d\\\\u00zz\\\\\\\\u00f6\"}"},
    {{REDACT("a", "return ck.mask(item.value, 'Eve')")},
     "\"{\\\"to\\\": \\\"J\\\\u00f6rg\\\"}\"",
     CK_REDACT_LEAVE,
     NULL},
    /* several policies, each on what the one before left; the whole wins */
    {{REDACT("a", "return ck.gsub(item.value, 'Ada', 'Bob')"),
      REDACT("b", "return ck.mask(item.value, 'Bob')")},
     "\"Ada\"",
     CK_REDACT_REPLACE,
     "\"" Z "\""},
    {{REDACT("a", "return ck.mask(item.value, 'Ada')"),
      REDACT("b", "if ck.find(item.value, 'Ada') then return ck.drop end")},
     "\"Ada\"",
     CK_REDACT_REPLACE,
     "\"" Z "\""},
    {{REDACT("a", "return ck.mask(item.value, 'Ada')"), REDACT("b", "return ck.mask")},
     "\"Ada\"",
     CK_REDACT_MASK,
     NULL},
    {{REDACT("a", "return ck.drop"), REDACT("b", "return 'x'")}, "\"Ada\"", CK_REDACT_DROP, NULL},
    {{REDACT("a", "return ck.mask"), REDACT("b", "return 'x'")}, "\"Ada\"", CK_REDACT_MASK, NULL},
    {{REDACT("a", "return ck.mask(item.value, 'Ada')"), REDACT("b", "return ck.ref 'env:X'")},
     "\"Ada\"",
     CK_REDACT_REF,
     NULL},
    /* what is there in the end counts */
    {{REDACT("a", "return ck.gsub(item.value, 'x', 'y')"),
      REDACT("b", "return ck.gsub(item.value, 'y', 'x') .. ''")},
     "\"xz\"",
     CK_REDACT_REPLACE,
     "\"xz\""},
    /* longer than its item, which is short */
    {{REDACT("a", "return ck.mask(item.value, '1')")},
     "[\"1\",\"1\",\"21\"]",
     CK_REDACT_REPLACE,
     "[\"" Z "\",\"" Z "\",\"2" Z "\"]"},
    {{REDACT("a", "return item.value")}, "\"mask\"", CK_REDACT_LEAVE, NULL},
    {{REDACT("a", "return { 'mask' }")}, "[\"x\"]", CK_REDACT_REPLACE, "[\"mask\"]"},
    /* a value that looks like a reference is none */
    {{REDACT("a", "return item.value")}, "{\"ref\":\"env:HOME\"}", CK_REDACT_LEAVE, NULL},
    {{REDACT("a", "return { ref = 'env:HOME' }")},
     "{\"ref\":\"x\"}",
     CK_REDACT_REPLACE,
     "{\"ref\":\"env:HOME\"}"},
    {{REDACT("a", "return ck.ref 'env:HOME'")}, "{\"ref\":\"x\"}", CK_REDACT_REF, NULL},
};

/* ---- what is refused ---- */

static const one refused[] = {
    {{REDACT("a", "return 7")}, "\"x\"", CK_REDACT_DROP, "got a number where it has a text"},
    {{REDACT("a", "return 'x'")}, "{\"a\":1}", CK_REDACT_DROP, "where it has an object"},
    {{REDACT("a", "return { a = 2 }")}, "{\"a\":1}", CK_REDACT_DROP, "which stays"},
    {{REDACT("a", "return { a = '1' }")}, "{\"a\":1}", CK_REDACT_DROP, "which stays"},
    {{REDACT("a", "return {}")}, "{\"a\":\"x\"}", CK_REDACT_DROP, "got a nil where it has a text"},
    {{REDACT("a", "return { a = 'x', b = 1 }")},
     "{\"a\":\"x\"}",
     CK_REDACT_DROP,
     "it has other members"},
    {{REDACT("a", "return { 'x', 'y' }")}, "[\"x\"]", CK_REDACT_DROP, "it has other members"},
    {{REDACT("a", "return { 'x' }")}, "{\"a\":\"x\"}", CK_REDACT_DROP, "where it has a text"},
    {{REDACT("a", "return string.char(255)")}, "\"x\"", CK_REDACT_DROP, "UTF-8 without NUL"},
    {{REDACT("a", "return 'x' .. string.char(0)")}, "\"x\"", CK_REDACT_DROP, "UTF-8 without NUL"},
    {{REDACT("a", "local y = string.rep('y', 1048576) return y .. y")},
     "\"x\"",
     CK_REDACT_DROP,
     "the answer is more than 1048576 bytes longer than the item's value"},
    /* what can match nothing masks nothing there */
    {{REDACT("a", "return ck.mask(item.value, '')")}, "\"ab\"", CK_REDACT_DROP, "it failed"},
    {{REDACT("a", "return ck.mask(item.value, 'x*')")}, "\"ab\"", CK_REDACT_DROP, "it failed"},
    {{REDACT("a", "return ck.mask(item.value, '\\\\Q\\\\E')")},
     "\"ab\"",
     CK_REDACT_DROP,
     "it failed"},
    {{REDACT("a", "return ck.mask(item.value, '(')")}, "\"x\"", CK_REDACT_DROP, "policy \"a\""},
    {{REDACT("a", "return ck.mask(item.value, '(a+)+$')")},
     "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"",
     CK_REDACT_DROP,
     "policy \"a\""},
    {{REDACT("a", "return ck.mask(nil, 'x')")},
     "\"x\"",
     CK_REDACT_DROP,
     "it failed; its message is not kept"},
    {{REDACT("a", "local t = {} t.t = t return ck.mask(t, 'x')")},
     "\"x\"",
     CK_REDACT_DROP,
     "it failed; its message is not kept"},
    {{REDACT("a", "return item.value .. '!'")},
     "\"x\"",
     CK_REDACT_DROP,
     "p1.lua:1: asked about the text that the policies had made of it, it changes that again"},
    /* a verdict's name is none */
    {{REDACT("a", "return 'mask'")},
     "\"x\"",
     CK_REDACT_DROP,
     "the answer is the text \"mask\": "
     "ck.mask expected, without quotes"},
    {{REDACT("a", "return 'drop'")}, "\"x\"", CK_REDACT_DROP, "ck.drop expected, without quotes"},
    /* each by itself would last */
    {{REDACT("a", "if item.value == 'one' then return 'two' end"),
      REDACT("b", "if item.value == 'two' then return 'three' end "
                  "if item.value == 'three' then return ck.mask end")},
     "\"one\"",
     CK_REDACT_DROP,
     "p2.lua:1: asked about the text"},
    {{REDACT("a", "return 'x'"), REDACT("b", "error 'no'")}, "\"y\"", CK_REDACT_DROP, "no"},
};

int main(void) {
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) check(&replaced[i]);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) check(&refused[i]);
  return tap_done();
}
