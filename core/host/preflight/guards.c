/* guards.c - a policy that the run before had added for itself, and that masks, refuses or permits,
 * does not fall away in silence. */
#include <stdlib.h>

#include "core/host/preflight/preflight.h"
#include "core/host/session/policy_changes.h"
#include "core/host/session/run_settings.h"
#include "core/redact/redact.h"

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

/* The member with that name as it was read; no bytes: there is none. */
static ck_bytes find_member(ck_bytes object, ck_bytes name) {
  for (ck_json_iterator it = ck_json_iterate(object); ck_json_next(&it);)
    if (ck_bytes_equal(it.name, name)) return it.value;
  return (ck_bytes){0};
}

static ck_bytes own_options(const ck_value *settings) {
  return settings ? ck_json_get(ck_value_bytes(settings), "options") : (ck_bytes){0};
}

/* What the run before had set for itself of a policy, and is masked in both records: they do not
 * tell that the profile's own value is another one. */
static void write_masked_of(ck_json_writer *w, const ck_preflight *self, ck_bytes entry) {
  ck_bytes name = ck_json_get(entry, "name"), options = ck_json_get(entry, "options"),
           before = find_member(own_options(self->settings_before), name),
           now = find_member(own_options(self->settings), name);
  for (ck_json_iterator it = ck_json_iterate(before); ck_json_next(&it);) {
    ck_bytes value = find_member(options, it.name);
    bool hidden = ck_redact_is_masked(it.value) && ck_bytes_equal(it.value, value);
    if (!hidden || find_member(now, it.name).len) continue;
    ck_json_begin(w, '{');
    ck_json_member_raw(w, "policy", name);
    ck_json_member_text(w, "what", "option");
    ck_json_member_raw(w, "option", it.name);
    ck_json_member_raw(w, "was", it.value);
    ck_json_member_raw(w, "now", value);
    ck_json_end(w, '}');
  }
}

static void write_masked(ck_json_writer *w, const ck_preflight *self) {
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->policies)); ck_json_next(&it);)
    if (is_true(it.value, "guards")) write_masked_of(w, self, it.value);
}

static ck_status compare(ck_preflight *self, ck_bytes before, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  write_lost(&w, self, before);
  ck_policy_changes_write_guards(&w, before, ck_value_bytes(self->policies));
  write_masked(&w, self);
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(&self->guard_changes, &text, err);
  ck_buffer_clear(&text);
  return status;
}

/* Both values are masked: which is which is not told. */
static bool is_hidden(ck_bytes change) {
  ck_bytes was = ck_json_get(change, "was");
  return was.len && ck_bytes_equal(was, ck_json_get(change, "now"));
}

static void add_hidden_problem(ck_preflight *self, ck_bytes change) {
  char *policy = ck_json_dup_string(ck_json_get(change, "policy")),
       *option = ck_json_dup_string(ck_json_get(change, "option"));
  self->problems.failed |= !policy || !option;
  ck_preflight_add(self, CK_E_REFUSED,
                   "option %s of %s was set for the run before alone, and is masked where it is "
                   "stored: the policy masks, refuses or permits; --option gives it anew, "
                   "--accept-changed goes on with the profile's own",
                   option ? option : "", policy ? policy : "");
  free(policy);
  free(option);
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
    else if (is_hidden(it.value))
      add_hidden_problem(self, it.value);
    else
      add_option_problem(self, it.value);
}

ck_status ck_preflight_check_guards(ck_preflight *self, ck_error *err) {
  if (!self->policies) return CK_OK;
  ck_status status = compare(self, ck_last_run_policies(&self->last), err);
  if (status == CK_OK && !self->options.accept_changed) add_problems(self);
  return status;
}
