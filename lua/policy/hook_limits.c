/* hook_limits.c - the limits, by the rules of the core that make them. */
#include "lua/policy/hook_limits.h"

#include <string.h>

#include "core/model/content.h"
#include "core/model/effect.h"

static bool asks_leave(const char *word) {
  ck_effect of = {0};
  return ck_effect_kind_of(&of.kind, word) && ck_effect_asks_leave(&of);
}

/* What may be repeated is, and nobody is asked. */
static bool can_be_in_doubt(const char *word) {
  ck_effect_class of;
  return ck_effect_class_of(&of, word) && !ck_effect_class_repeats(of);
}

static bool has_content(const char *word) { return ck_content_has_kind(ck_event_kind_of(word)); }

/* What is in no tail, and what is there without a question. */
static bool is_asked_of_tails(const char *word) {
  ck_event_kind kind = ck_event_kind_of(word);
  return kind != CK_EVENT_INTENT && kind != CK_EVENT_REPLAY;
}

static bool is_error(const char *word) { return strcmp(word, ck_status_name(CK_OK)) != 0; }

const hook_limit ck_hook_limits[] = {
    {POLICY_permit, 1, "kind", asks_leave, "permit"},
    {POLICY_permit, 2, "kind", NULL, "permit, between boundaries"},
    {POLICY_permit, 2, "calls", NULL, "permit, between boundaries"},
    {POLICY_in_doubt, 1, "class", can_be_in_doubt, "in_doubt"},
    {POLICY_redact, 1, "kind", has_content, "redact"},
    {POLICY_tail, 1, "kind", is_asked_of_tails, "tail"},
    {POLICY_on_failure, 1, "status", is_error, "on_failure"},
    {0},
};
