/* test_approve.c - what cannot be taken back is approved by a person once something untrusted was
 * read; its options say of which classes, and whether without that, too. */
#include <string.h>

#include "tests/policies/policy_case.h"
#include "tests/tap.h"

#define WEB "[\"reader\",\"web\"]"

static const struct {
  const char *options;
  ck_effect_kind kind;
  ck_effect_class class;
  const char *untrusted; /* NULL: nothing */
  const char *want;      /* the question; NULL: none */
} rows[] = {
    {NULL, CK_EFFECT_TOOL, CK_EFFECT_ONCE, NULL, NULL},
    {NULL, CK_EFFECT_TOOL, CK_EFFECT_ONCE, "[\"web\"]",
     "May mail (once) be done after reading web?"},
    {NULL, CK_EFFECT_TOOL, CK_EFFECT_ONCE, WEB,
     "May mail (once) be done after reading reader, web?"},
    {NULL, CK_EFFECT_EXEC, CK_EFFECT_ONCE, "[\"web\"]",
     "May exec (once) be done after reading web?"},
    {NULL, CK_EFFECT_TOOL, CK_EFFECT_RECONCILABLE, "[\"web\"]", NULL},
    {NULL, CK_EFFECT_MODEL, CK_EFFECT_PURE, "[\"web\"]", NULL},
    {"{\"classes\":[\"once\",\"reconcilable\"]}", CK_EFFECT_TOOL, CK_EFFECT_RECONCILABLE,
     "[\"web\"]", "May mail (reconcilable) be done after reading web?"},
    {"{\"classes\":[\"reconcilable\"]}", CK_EFFECT_TOOL, CK_EFFECT_ONCE, "[\"web\"]", NULL},
    {"{\"untrusted\":false}", CK_EFFECT_TOOL, CK_EFFECT_ONCE, NULL, "May mail (once) be done?"},
    {"{\"untrusted\":false}", CK_EFFECT_TOOL, CK_EFFECT_ONCE, "[\"web\"]",
     "May mail (once) be done after reading web?"},
    {"{\"untrusted\":false}", CK_EFFECT_TOOL, CK_EFFECT_PURE, "[\"web\"]", NULL},
};

int main(void) {
  const ck_boundary at = {.scope = "main", .budget = {.limit_micros = -1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_policy_engine engine = policy_case_open("approve", rows[i].options);
    ck_leave leave;
    ck_error err = CK_ERROR_INIT;
    const ck_effect effect = {
        .scope = "main",
        .key = "main/start/tool/1",
        .kind = rows[i].kind,
        .class = rows[i].class,
        .untrusted = rows[i].untrusted ? ck_bytes_text(rows[i].untrusted) : (ck_bytes){0},
        .request = ck_bytes_text("{\"name\":\"mail\",\"arguments\":{}}")};
    tap_is_status(engine.permit(&leave, engine.self, &effect, &at, &err), CK_OK, &err,
                  "row %zu: approve %s", i, rows[i].options ? rows[i].options : "");
    tap_ok(leave.word == (rows[i].want ? CK_LEAVE_ASK : CK_LEAVE_ALLOW),
           "asks where it is to, and never denies");
    if (rows[i].want)
      tap_ok(leave.text && strcmp(leave.text, rows[i].want) == 0, "so: %s, got %s", rows[i].want,
             leave.text ? leave.text : "nothing");
    ck_leave_clear(&leave);
    engine.free(engine.self);
  }
  return tap_done();
}
