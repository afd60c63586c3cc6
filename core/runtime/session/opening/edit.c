/* edit.c - a person's edits: gathered, checked, written as events and read back. */
#include "core/runtime/session/opening/edit.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/secret.h"

static void clear(ck_state_edit *self) {
  free(self->key);
  free(self->ref);
  ck_value_free(self->value);
}

void ck_state_edits_clear(ck_state_edits *self) {
  for (size_t i = 0; i < self->count; i++) clear(&self->items[i]);
  free(self->items);
  *self = (ck_state_edits){0};
}

ck_status ck_state_edits_append(ck_state_edits *self, const char *key, const ck_value *value,
                                const char *ref, ck_error *err) {
  ck_status status = ck_state_check_key(key, err);
  if (status != CK_OK) return status;
  ck_state_edit *items = realloc(self->items, (self->count + 1) * sizeof *items);
  if (!items) return ck_error_no_memory(err);
  self->items = items;
  ck_state_edit made = {.key = strdup(key),
                        .ref = ref ? strdup(ref) : NULL,
                        .value = value ? ck_value_share(value) : NULL};
  if (!made.key || (ref && !made.ref)) {
    clear(&made);
    return ck_error_no_memory(err);
  }
  items[self->count++] = made;
  return CK_OK;
}

ck_status ck_state_edits_append_all(ck_state_edits *self, const ck_state_edits *from,
                                    ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; from && i < from->count && status == CK_OK; i++)
    status = ck_state_edits_append(self, from->items[i].key, from->items[i].value,
                                   from->items[i].ref, err);
  return status;
}

/* How many items the policies have masked, dropped or changed so far. */
static uint64_t count_of_policies(const ck_redactor *redactor) {
  ck_redact_count found;
  uint64_t sum = 0;
  for (size_t i = 0; ck_redactor_count_at(&found, redactor, i); i++)
    if (strcmp(found.family, "policy") == 0) sum += found.count;
  return sum;
}

/* Whether the value would be written as it is, and whether it is the policies that change it. */
static ck_status try_value(bool *whole, bool *by_policies, const ck_state_edit *self,
                           ck_redactor *redactor, ck_error *err) {
  ck_value *kept;
  uint64_t before = count_of_policies(redactor);
  ck_status status = ck_redactor_apply(&kept, redactor, CK_SINK_STATE, self->key, self->value, err);
  if (status != CK_OK) return status;
  *whole = kept && ck_bytes_equal(ck_value_bytes(kept), ck_value_bytes(self->value));
  *by_policies = count_of_policies(redactor) > before;
  ck_value_free(kept);
  return CK_OK;
}

ck_status ck_state_edit_check_policies(const ck_state_edit *self, ck_redactor *redactor,
                                       ck_error *err) {
  bool whole, by_policies;
  if (self->ref) return CK_OK;
  ck_status status = try_value(&whole, &by_policies, self, redactor, err);
  if (status != CK_OK || whole || !by_policies) return status;
  return ck_error_set(err, CK_E_REFUSED,
                      "%s: a policy masks or drops it before it is stored, so a resume would not "
                      "have it: give it with --set-env %s=VARIABLE or --set-file %s=FILE",
                      self->key, self->key, self->key);
}

ck_status ck_state_edit_check(const ck_state_edit *self, ck_redactor *redactor, ck_error *err) {
  bool whole, by_policies;
  if (self->ref) return ck_secret_register(redactor, self->key, self->ref, err);
  ck_status status = ck_state_edit_check_policies(self, redactor, err);
  if (status == CK_OK) status = try_value(&whole, &by_policies, self, redactor, err);
  if (status != CK_OK || whole) return status;
  return ck_error_set(err, CK_E_REFUSED,
                      "%s looks like a secret, and what stands on a command line is public: give "
                      "it with --set-env %s=VARIABLE or --set-file %s=FILE",
                      self->key, self->key, self->key);
}

ck_status ck_state_edit_write(ck_value **out, const ck_state_edit *self, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", self->key);
  if (self->value) ck_json_member_raw(&w, "value", ck_value_bytes(self->value));
  ck_json_member_text(&w, "ref", self->ref);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_state_edits_read(ck_state_edits *self, const ck_value *body, ck_error *err) {
  ck_bytes json = ck_value_bytes(body), kept = ck_json_get(json, "value");
  char *key = ck_json_dup_string(ck_json_get(json, "key")),
       *ref = ck_json_dup_string(ck_json_get(json, "ref"));
  ck_value *value = NULL;
  ck_status status = kept.len ? ck_value_copy(&value, kept, err) : CK_OK;
  if (status == CK_OK && key && (value || ref))
    status = ck_state_edits_append(self, key, value, ref, err);
  ck_value_free(value);
  free(ref);
  free(key);
  return status;
}
