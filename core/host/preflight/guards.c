/* guards.c - a policy that the run before had added for itself, and that masks, refuses or permits,
 * does not fall away in silence. */
#include <stdlib.h>

#include "core/host/preflight/preflight.h"
#include "core/host/session/policy_changes.h"
#include "core/host/session/run_settings.h"

static bool is_true(ck_bytes object, const char *name) {
  return ck_json_type_of(ck_json_get(object, name)) == CK_JSON_TRUE;
}

/* Whether this run has a policy of that name, of the profile or of its own. */
static bool has_policy(ck_bytes policies, ck_bytes name) {
  for (ck_json_iterator it = ck_json_iterate(policies); ck_json_next(&it);)
    if (ck_bytes_equal(ck_json_get(it.value, "name"), name)) return true;
  return false;
}

static void add_problem(ck_preflight *self, ck_bytes name) {
  ck_buffer words = {0};
  char *text = ck_json_dup_string(name);
  if (self->settings_before) ck_run_settings_append(&words, ck_value_bytes(self->settings_before));
  ck_preflight_add(self, CK_E_REFUSED,
                   "the run before had the policy %s for itself, which masks, refuses or permits: "
                   "name it again (it was started with%s), or --accept-changed goes on without it",
                   text ? text : "", words.data ? words.data : " --policy");
  if (!text || words.failed) self->problems.failed = true;
  ck_buffer_clear(&words);
  free(text);
}

/* Those that masked, refused or permitted for that run alone, and are not there any more. */
static void write_lost(ck_json_writer *w, const ck_preflight *self, ck_bytes before) {
  for (ck_json_iterator it = ck_json_iterate(before); ck_json_next(&it);) {
    ck_bytes name = ck_json_get(it.value, "name");
    bool guards = is_true(it.value, "run") && is_true(it.value, "guards");
    if (!guards || has_policy(ck_value_bytes(self->policies), name)) continue;
    ck_json_begin(w, '{');
    ck_json_member_raw(w, "policy", name);
    ck_json_member_text(w, "what", "removed");
    ck_json_member_raw(w, "was", ck_json_get(it.value, "digest"));
    ck_json_end(w, '}');
  }
}

static ck_status compare(ck_preflight *self, ck_bytes before, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  write_lost(&w, self, before);
  ck_policy_changes_write_guards(&w, before, ck_value_bytes(self->policies));
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(&self->guard_changes, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static void add_option_problem(ck_preflight *self, ck_bytes change) {
  ck_buffer words = {0};
  ck_policy_change_append(&words, change);
  ck_preflight_add(self, CK_E_REFUSED,
                   "%s in this run: the policy masks, refuses or permits; --option sets it as it "
                   "was, --accept-changed goes on with it as it is",
                   words.data ? words.data : "");
  self->problems.failed |= words.failed;
  ck_buffer_clear(&words);
}

static void add_problems(ck_preflight *self) {
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->guard_changes));
       ck_json_next(&it);)
    if (ck_json_is_text(ck_json_get(it.value, "what"), "removed"))
      add_problem(self, ck_json_get(it.value, "policy"));
    else
      add_option_problem(self, it.value);
}

ck_status ck_preflight_check_guards(ck_preflight *self, ck_error *err) {
  if (!self->policies) return CK_OK;
  ck_status status = compare(self, ck_last_run_policies(&self->last), err);
  if (status == CK_OK && !self->options.accept_changed) add_problems(self);
  return status;
}
