/* limits_fixture.c - the flows and answers behind limits_fixture.h. */
#include "tests/runtime/execution/limits_fixture.h"

#include "core/runtime/history/resolve.h"
#include "tests/tap.h"

const char limits_reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

const char limits_loop[] =
    HEAD "local n = ctx.position and ctx.position.n or 0 "
         "while n < 1000 do n = n + 1 " MODEL " ctx.boundary('loop_iteration', { agent = 'main', "
         "position = { path = 'n#' .. n, n = n } }) end" TAIL;

ck_profile *limits_profile(void) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "limits", &err) == CK_OK, "profile");
  return profile;
}

static void give_answer(fake_flow *s, const char *id, const char *json, ck_status want) {
  ck_error err = CK_ERROR_INIT;
  ck_value *text;
  tap_must(ck_value_new(&text, ck_bytes_text(json), &err) == CK_OK, "value");
  tap_is_status(ck_session_answer(s->runtime, id, NULL, text, &err), want, &err,
                "a person answers %s", json);
  ck_value_free(text);
}

void limits_answer(fake_flow *s, const char *id, const char *json) {
  give_answer(s, id, json, CK_OK);
}

void limits_refuse(fake_flow *s, const char *id, const char *json) {
  give_answer(s, id, json, CK_E_USAGE);
}
