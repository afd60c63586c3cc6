/* counts.c - counts the findings of each rule. */
#include "core/redact/redact_private.h"

uint32_t ck_redactor_key_rule(const ck_redactor *self, const ck_key_rule *rule) {
  const ck_keys *keys = &self->keys;
  if (rule < keys->rules || rule >= keys->rules + keys->count)
    return rule->flags ? CK_RULE_POLICY_MASK : CK_RULE_KNOWN;
  size_t index = CK_RULE_KEYS + (size_t)(rule - keys->rules);
  return index < CK_RULE_MAX ? (uint32_t)index : CK_RULE_MAX - 1;
}

void ck_redactor_count(ck_redactor *self, const ck_edits *edits) {
  for (size_t i = 0; i < edits->count; i++) self->counts[edits->list[i].rule]++;
}

static bool name_rule(ck_redact_count *out, const ck_redactor *self, size_t index) {
  static const char *const own[CK_RULE_VALUES] = {"known",  "id",     "signed", "slot",  "excluded",
                                                  "policy", "policy", "policy", "policy"};
  static const char *const answers[] = {"drop", "mask", "ref", "replace"};
  *out = (ck_redact_count){.family = "", .rule = "", .count = self->counts[index]};
  if (index < CK_RULE_VALUES) {
    out->family = own[index];
    if (index >= CK_RULE_POLICY_DROP && index <= CK_RULE_POLICY_REPLACE)
      out->rule = answers[index - CK_RULE_POLICY_DROP];
  } else if (index < CK_RULE_KEYS) {
    out->family = "value";
    out->rule = ck_values_kind(index - CK_RULE_VALUES);
  } else if (index - CK_RULE_KEYS < self->keys.count) {
    out->family = "key";
    out->rule = self->keys.rules[index - CK_RULE_KEYS].words;
  }
  return out->family && *out->family && out->rule;
}

bool ck_redactor_count_at(ck_redact_count *out, const ck_redactor *self, size_t index) {
  size_t seen = 0;
  for (size_t i = 0; i < CK_RULE_MAX; i++)
    if (name_rule(out, self, i) && seen++ == index) return true;
  *out = (ck_redact_count){0};
  return false;
}
