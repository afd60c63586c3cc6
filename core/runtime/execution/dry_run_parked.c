/* dry_run_parked.c - a call of a tool that waited for a person, in a server that is gone. */
#include "core/runtime/execution/dry_run_parked.h"

#include "core/base/json.h"

/* What the outcome says of the call that waits; no bytes: there is none. */
static ck_bytes token_of(const ck_ledger_entry *entry) {
  bool done = entry->kind == CK_EFFECT_TOOL && !entry->open && entry->outcome;
  ck_bytes body = done ? ck_value_bytes(entry->outcome) : (ck_bytes){0};
  ck_bytes result = ck_json_get(body, "wants").len ? ck_json_get(body, "result") : (ck_bytes){0};
  return ck_json_get(result, "person").len ? ck_json_get(result, "waits") : (ck_bytes){0};
}

/* The question has no answer yet, or a call has brought it: that one is told for itself. */
static bool goes_on(const ck_ledger_entry *entry, ck_bytes token) {
  bool asks = entry->kind == CK_EFFECT_ASK && entry->open && entry->verdict == CK_VERDICT_NONE;
  ck_bytes request =
      entry->intent ? ck_json_get(ck_value_bytes(entry->intent), "request") : (ck_bytes){0};
  ck_bytes of = ck_json_get(ck_json_get(request, "input"), "of");
  return asks || (entry->kind == CK_EFFECT_TOOL && ck_bytes_equal(ck_json_get(of, "waits"), token));
}

ck_dry_run_plan ck_dry_run_judge_parked(const ck_ledger *ledger, const ck_ledger_entry *entry) {
  ck_bytes token = token_of(entry);
  const ck_ledger_entry *other;
  if (!token.len || ck_effect_class_repeats(entry->class)) return CK_DRY_RUN_REPLAY;
  for (size_t i = 0; (other = ck_ledger_at(ledger, i)) != NULL; i++) {
    if (goes_on(other, token)) return CK_DRY_RUN_REPLAY;
  }
  return entry->class == CK_EFFECT_RECONCILABLE ? CK_DRY_RUN_PROBE : CK_DRY_RUN_DOUBT;
}
