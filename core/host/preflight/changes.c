/* changes.c - which policies, and which of their options, differ from those that the session last
 * ran with, and what a person accepts of that. */
#include <stdlib.h>
#include <string.h>

#include "core/host/preflight/preflight.h"
#include "core/base/person.h"
#include "core/host/session/policy_changes.h"
#include "lua/policy/same_text.h"

enum { WORDS_MAX = 600 }; /* of a problem, which has room for 1,000 bytes */

static ck_bytes bytes_of(const ck_value *value) {
  return value ? ck_value_bytes(value) : (ck_bytes){0};
}

const char *ck_preflight_since(const ck_preflight *self) {
  return self->last.resumed ? "its last run" : "the session was started";
}

/* Those of the last run; what an earlier ckrun resumed kept none: then those of the start. */
static ck_bytes policies_then(const ck_preflight *self) {
  ck_bytes own = ck_last_run_own_policies(&self->last);
  return own.len ? own : bytes_of(self->launch.policies);
}

/* Of the profile and those that it extends, as the last run had them. */
static bool has_other_text(const ck_preflight *self, const ck_engine *engine) {
  ck_bytes files =
      self->last.about ? ck_json_get(ck_value_bytes(self->last.about), "files") : (ck_bytes){0};
  for (size_t i = 0; i < engine->scripts.count; i++) {
    const ck_script *script = &engine->scripts.list[i];
    char hex[CK_DIGEST_HEX_SIZE];
    bool found = strcmp(script->kind, "profile") != 0;
    ck_digest_hex(hex, &script->digest);
    for (ck_json_iterator it = ck_json_iterate(files); !found && ck_json_next(&it);)
      found = ck_json_is_text(ck_json_get(it.value, "digest"), hex);
    if (!found) return true;
  }
  return false;
}

static ck_status compare(ck_value **out, ck_preflight *self, bool other_text, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  if (self->decisions.changed)
    ck_policy_changes_write(&w, policies_then(self), bytes_of(self->own_policies));
  if (other_text &&
      ck_policy_changes_write_masked(&w, policies_then(self), bytes_of(self->own_policies)))
    self->decisions.changed = true;
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

/* What is no longer masked stands first: it matters most, and a long list is cut. */
static ck_status add_unmasked(ck_preflight *self, const ck_engine *engine, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_value *all = NULL;
  if (ck_json_count(bytes_of(self->changes)) == 0) return CK_OK;
  ck_json_begin(&w, '[');
  ck_status status = ck_preflight_write_unmasked(&w, self, engine, err);
  for (ck_json_iterator it = ck_json_iterate(bytes_of(self->changes)); ck_json_next(&it);)
    ck_json_put_raw(&w, it.value);
  ck_json_end(&w, ']');
  if (status == CK_OK) status = ck_value_from(&all, &text, err);
  ck_buffer_clear(&text);
  if (status != CK_OK) return status;
  ck_value_free(self->changes);
  self->changes = all;
  return CK_OK;
}

static void add_problem(ck_preflight *self) {
  ck_buffer words = {0};
  ck_policy_changes_append(&words, bytes_of(self->changes), WORDS_MAX);
  const char *text = words.data ? words.data : "", *profile = self->head.session.profile;
  ck_bytes other = ck_last_run_profile(&self->last);
  char *name = other.len ? ck_json_dup_string(other) : NULL;
  if (name)
    ck_preflight_add(self, CK_E_REFUSED,
                     "its last run was under another profile, %s, than %s: %s; --profile %s takes "
                     "it again, --accept-changed goes on with %s",
                     name, profile, text, name, profile);
  else
    ck_preflight_add(self, CK_E_REFUSED,
                     "the policies of profile %s have changed since %s: %s; --accept-changed goes "
                     "on with them as they are now",
                     profile, ck_preflight_since(self), text);
  self->problems.failed |= words.failed || (other.len && !name);
  ck_buffer_clear(&words);
  free(name);
}

/* A profile that is given anew is expected to differ; what belongs to one run is compared with
 * that run. */
ck_status ck_preflight_check_policies(ck_preflight *self, const ck_engine *engine, ck_error *err) {
  ck_status status = ck_engine_describe_policies(&self->policies, engine, true, err);
  if (status == CK_OK)
    status = ck_engine_describe_policies(&self->own_policies, engine, false, err);
  if (status != CK_OK) return status;
  ck_bytes then = policies_then(self);
  bool accepted = self->options.accept_changed || self->options.profile;
  self->decisions.changed = then.len && !ck_policies_equal(then, bytes_of(self->own_policies));
  status = compare(&self->changes, self, then.len && has_other_text(self, engine), err);
  if (status == CK_OK) status = add_unmasked(self, engine, err);
  if (status == CK_OK && self->decisions.changed && !accepted) add_problem(self);
  return status;
}

bool ck_preflight_is_changed(const ck_preflight *self, ck_bytes policy) {
  return ck_policy_changes_name(bytes_of(self->changes), policy);
}

/* ---- the dry run ---- */

static void put_change(ck_document *document, struct cJSON *list, ck_bytes change) {
  ck_error failure = CK_ERROR_INIT;
  struct cJSON *row = ck_document_put_object(document, list, NULL);
  if (ck_document_put_members(document, row, change, &failure) != CK_OK) document->failed = true;
}

void ck_preflight_put_changes(ck_document *document, const ck_preflight *self) {
  const ck_value *lists[] = {self->changes, self->guard_changes};
  struct cJSON *list = ck_document_put_array(document, NULL, "changes");
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (ck_json_iterator it = ck_json_iterate(bytes_of(lists[i])); ck_json_next(&it);)
      put_change(document, list, it.value);
}

void ck_preflight_put_change_rows(ck_table *table, const ck_preflight *self) {
  const ck_value *lists[] = {self->changes, self->guard_changes};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (ck_json_iterator it = ck_json_iterate(bytes_of(lists[i])); ck_json_next(&it);) {
      ck_buffer words = {0};
      ck_policy_change_append(&words, it.value);
      ck_table_put_word(table, "changed");
      ck_table_put_text(table, ck_buffer_bytes(&words));
      table->text.failed |= words.failed;
      ck_buffer_clear(&words);
    }
}

/* ---- what is accepted ---- */

static void write_flow(ck_json_writer *w, const ck_preflight *self, const ck_engine *engine) {
  char now[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(now, &ck_engine_manifest(engine)->digest);
  ck_json_name(w, "flow");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "file", self->launch.flow);
  ck_bytes last = ck_last_run_flow_digest(&self->last);
  if (last.len)
    ck_json_member_raw(w, "was", last);
  else
    ck_json_member_text(w, "was", self->launch.flow_digest);
  ck_json_member_text(w, "now", now);
  ck_json_end(w, '}');
}

static void write_changes(ck_json_writer *w, const ck_preflight *self) {
  const ck_value *lists[] = {self->changes, self->guard_changes};
  ck_json_name(w, "policies");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (ck_json_iterator it = ck_json_iterate(bytes_of(lists[i])); ck_json_next(&it);)
      ck_json_put_raw(w, it.value);
  ck_json_end(w, ']');
}

ck_status ck_preflight_accept(ck_value **out, const ck_preflight *self, const ck_engine *engine,
                              ck_error *err) {
  bool policies = ck_json_count(bytes_of(self->changes)) > 0 ||
                  ck_json_count(bytes_of(self->guard_changes)) > 0;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  *out = NULL;
  if (!policies && !self->flow_changed) return CK_OK;
  ck_json_begin(&w, '{');
  ck_person_write(&w, NULL);
  ck_json_member_text(&w, "with", self->options.accept_changed ? "--accept-changed" : "--profile");
  if (self->flow_changed) write_flow(&w, self, engine);
  if (policies) write_changes(&w, self);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
