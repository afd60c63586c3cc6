/* policy_case.c - one shipped policy against one row of a table. */
#include "tests/policies/policy_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/embed.h"
#include "lua/policy/same_text.h"
#include "tests/tap.h"

ck_policy_engine policy_case_open(const char *name, const char *options) {
  ck_profile *profile;
  ck_policy_engine engine;
  ck_value *value = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "case", &err) == CK_OK, "a profile is made");
  tap_must(!options || ck_value_new(&value, ck_bytes_text(options), &err) == CK_OK,
           "options are JSON: %s", err.text);
  tap_must(ck_profile_append_policy(profile, name, value, &err) == CK_OK &&
               ck_policy_engine_open(&engine, profile, &err) == CK_OK,
           "%s loads: %s", name, err.text);
  ck_value_free(value);
  ck_profile_free(profile);
  return engine;
}

void policy_case_refused(const char *name, const char *options, const char *why) {
  ck_profile *profile;
  ck_policy_engine engine;
  ck_value *value = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "case", &err) == CK_OK &&
               ck_value_new(&value, ck_bytes_text(options), &err) == CK_OK &&
               ck_profile_append_policy(profile, name, value, &err) == CK_OK,
           "a profile is made: %s", err.text);
  tap_is_status(ck_policy_engine_open(&engine, profile, &err), CK_E_PARSE, &err,
                "%s %s does not load", name, options);
  tap_ok(strstr(err.text, why), "and says why: %s", err.text);
  ck_value_free(value);
  ck_profile_free(profile);
}

/* "!" for sync, then the reason; malloc'd. */
static char *show_decision(const ck_decision *decision) {
  if (!decision->take) return NULL;
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(decision->reasons));
  ck_buffer text = {0};
  if (decision->sync) ck_buffer_append_char(&text, '!');
  if (ck_json_next(&it)) ck_json_read_string(&text, ck_json_get(it.value, "reason"));
  return ck_buffer_take(&text);
}

static bool is_reason(const char *got, const char *want) {
  if (!got || !want) return got == want;
  size_t len = strlen(want);
  bool open = len >= 3 && strcmp(want + len - 3, "…") == 0;
  return open ? strncmp(got, want, len - 3) == 0 : strcmp(got, want) == 0;
}

void policy_case_boundary(const char *policy, const policy_boundary_case *row) {
  ck_policy_engine engine = policy_case_open(policy, row->options);
  ck_decision decision;
  ck_boundary at = row->at;
  ck_error err = CK_ERROR_INIT;
  if (!at.scope) at.scope = "main";
  if (!at.budget.limit_micros) at.budget.limit_micros = -1;
  tap_is_status(engine.checkpoint(&decision, engine.self, &at, &err), CK_OK, &err,
                "%s %s decides at %s", policy, row->options ? row->options : "",
                ck_boundary_kind_name(at.kind));
  char *got = show_decision(&decision);
  tap_ok(is_reason(got, row->want), "and says %s: %s", row->want ? row->want : "nothing",
         got ? got : "nothing");
  free(got);
  ck_decision_clear(&decision);
  engine.free(engine.self);
}

void policy_case_prune(const char *policy, const policy_prune_case *row) {
  ck_policy_engine engine = policy_case_open(policy, row->options);
  ck_checkpoint_info infos[POLICY_CASE_CHECKPOINTS] = {0};
  bool drop[POLICY_CASE_CHECKPOINTS] = {false}, keep[POLICY_CASE_CHECKPOINTS] = {false};
  char got[POLICY_CASE_CHECKPOINTS + 1] = "";
  size_t count = 0;
  ck_error err = CK_ERROR_INIT;
  for (; row->history[count].created_ms; count++) {
    snprintf(infos[count].id, sizeof infos[count].id, "c%zu", count);
    infos[count].seq = (int64_t)count + 1;
    infos[count].kind = CK_BOUNDARY_TOOL_ROUND;
    infos[count].created_ms = row->history[count].created_ms;
    infos[count].stored_bytes = row->history[count].bytes;
    infos[count].clean = !row->history[count].unclean;
  }
  ck_prune_plan plan = {.drop = drop, .keep = keep};
  tap_is_status(engine.prune(&plan, engine.self, &(ck_history){infos, count, row->now_ms}, &err),
                CK_OK, &err, "%s %s plans for %zu checkpoints", policy,
                row->options ? row->options : "", count);
  for (size_t i = 0; i < count; i++) got[i] = drop[i] ? 'd' : keep[i] ? 'k' : '.';
  tap_is_text(got, row->want, "and plans %s", row->want);
  engine.free(engine.self);
}

void policy_case_earlier(const char *policy, const char *earlier) {
  static const char form[] = "[{\"name\":\"%s\",\"version\":1,\"digest\":\"%s\"}]";
  char file[128], now[256], then[256], hex[CK_DIGEST_HEX_SIZE];
  snprintf(file, sizeof file, "policies/%s.lua", policy);
  ck_bytes text = ck_embedded_get(file);
  tap_ok(text.len > 0, "%s: its text is embedded", policy);
  ck_digest digest = ck_digest_of(text);
  ck_digest_hex(hex, &digest);
  snprintf(now, sizeof now, form, policy, hex);
  snprintf(then, sizeof then, form, policy, earlier);
  tap_ok(ck_policies_equal(ck_bytes_text(then), ck_bytes_text(now)),
         "%s: the text of an earlier version is the same policy", policy);
  then[strlen(then) - 4] ^= 1;
  tap_ok(!ck_policies_equal(ck_bytes_text(then), ck_bytes_text(now)), "%s: another text is not",
         policy);
}
