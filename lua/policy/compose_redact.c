/* compose_redact.c - asks each policy of the list about an item that is to be written, each about
 * what the one before left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/inner_escapes.h"
#include "lua/policy/question.h"

/* The answer to an item so far: `item` as the next policy sees it, `shown` the value in place of
 * one that was removed. */
typedef struct removal {
  ck_redaction *out;
  ck_item item;
  ck_value *shown;           /* owned; NULL: the value itself */
  const loaded_policy *last; /* that changed it last; NULL: none has */
  ck_answers answers;
} removal;

/* How much a verdict removes. A reference can be filled again; a mask leaves its mark. */
static int strength(ck_redact_verdict verdict) {
  static const int strengths[] = {[CK_REDACT_LEAVE] = 0,
                                  [CK_REDACT_REPLACE] = 1,
                                  [CK_REDACT_REF] = 2,
                                  [CK_REDACT_MASK] = 3,
                                  [CK_REDACT_DROP] = 4};
  return strengths[verdict];
}

static bool is_excluded(const policy_list *self, const char *key) {
  if (!key || strncmp(key, "memory.", 7) != 0) return false;
  for (char **name = self->excluded; *name; name++) {
    if (strcmp(key + 7, *name) == 0) return true;
  }
  return false;
}

static void clear_redaction(ck_redaction *self) {
  free(self->ref);
  ck_value_free(self->value);
  *self = (ck_redaction){0};
}

static ck_status take_verdict(ck_redaction *out, const asking *answered, ck_error *err) {
  bool again = out->verdict == CK_REDACT_REPLACE && answered->verdict == CK_REDACT_REPLACE;
  if (!again && strength(answered->verdict) <= strength(out->verdict)) return CK_OK;
  clear_redaction(out);
  out->verdict = answered->verdict;
  if (answered->verdict == CK_REDACT_REPLACE)
    return ck_value_from(&out->value, answered->text, err);
  if (answered->verdict != CK_REDACT_REF) return CK_OK;
  out->ref = answered->text->failed ? NULL : strdup(answered->text->data);
  return out->ref ? CK_OK : ck_error_no_memory(err);
}

/* The value that policies see after a removal. */
static ck_status show_removed(removal *of, ck_error *err) {
  ck_value *shown = NULL;
  ck_status status = CK_OK;
  if (of->out->verdict == CK_REDACT_REPLACE)
    shown = ck_value_share(of->out->value);
  else
    status = ck_value_text(&shown, ck_bytes_text("[redacted]"), err);
  if (status != CK_OK) return status;
  ck_value_free(of->shown);
  of->item.value = of->shown = shown;
  return CK_OK;
}

/* What a redact hook says of its failure can hold what it was to mask, and errors are kept: only
 * where it failed is told. ckrun's own words of a spent budget, or of the answer, stay. */
static void hide_message(const asking *of, ck_error *err) {
  const loaded_policy *policy = of->policy;
  const char *file = strstr(err->text, policy->file), *end = NULL;
  if (of->answered || ck_vm_get_overrun(policy->vm) != CK_VM_WITHIN) return;
  if (file) end = strchr(file + strlen(policy->file) + 1, ':');
  int place = end ? (int)(end - err->text) : 0;
  char text[sizeof err->text];
  snprintf(text, sizeof text,
           "%.*s%sit failed; its message is not kept, for it can hold what is to be masked "
           "(ckrun policy test shows it)",
           place, err->text, place ? ": " : "");
  memcpy(err->text, text, sizeof text);
}

static ck_status merge_redact(question *self, const asking *answered, ck_status status,
                              ck_error *err) {
  removal *of = self->out;
  if (status != CK_OK && status != CK_E_NO_MEMORY) hide_message(answered, err);
  if (status == CK_OK) ck_answers_put(&of->answers, answered->place, (int)answered->verdict);
  if (status == CK_OK) status = take_verdict(of->out, answered, err);
  if (status == CK_OK && of->out->verdict != CK_REDACT_LEAVE) status = show_removed(of, err);
  if (status == CK_OK && answered->verdict != CK_REDACT_LEAVE) of->last = answered->policy;
  self->settled = of->out->verdict == CK_REDACT_DROP;
  return status;
}

/* All policies in turn. `last`: who changed the item last. */
static ck_status ask_redact(ck_redaction *out, const loaded_policy **last, policy_list *self,
                            const ck_item *given, ck_error *err) {
  removal of = {.out = out, .item = *given};
  question about = {.key = given->key, .out = &of, .merge = merge_redact};
  about.call = (asking){.hook = POLICY_redact, .subject = &of.item, .text = &self->text};
  *out = (ck_redaction){0};
  ck_status status = ck_policy_ask_each(self, &about, err);
  ck_value_free(of.shown);
  out->answers = of.answers;
  *last = of.last;
  return status;
}

/* What is written is redacted again, at each resume: texts that would then be other ones are not
 * written. */
static ck_status check_lasting(policy_list *self, const ck_item *given, const ck_value *value,
                               ck_error *err) {
  ck_redaction again;
  const loaded_policy *last;
  ck_item item = *given;
  item.value = value;
  ck_status status = ask_redact(&again, &last, self, &item, err);
  bool same = again.verdict == CK_REDACT_LEAVE ||
              (again.verdict == CK_REDACT_REPLACE &&
               ck_bytes_equal(ck_value_bytes(again.value), ck_value_bytes(value)));
  clear_redaction(&again);
  if (status != CK_OK || same) return status;
  return ck_error_set(
      err, CK_E_POLICY,
      "policy \"%s\", redact: %s:%d: asked about the text that the policies had made of "
      "it, it changes that again; leave what is masked as it is",
      last->name, last->file, last->lines[POLICY_redact]);
}

/* What is left as it was is written as it was. */
static ck_status ask_plain(ck_redaction *out, policy_list *self, const ck_item *given,
                           ck_error *err) {
  const loaded_policy *last;
  ck_status status = ask_redact(out, &last, self, given, err);
  if (status == CK_OK && out->verdict == CK_REDACT_REPLACE)
    status = check_lasting(self, given, out->value, err);
  return status;
}

ck_status ck_policy_engine_redact(ck_redaction *out, void *self, const ck_item *given,
                                  ck_error *err) {
  policy_list *own = self;
  ck_value *plain = NULL;
  ck_item item = *given;
  *out = (ck_redaction){.verdict = CK_REDACT_DROP};
  if (is_excluded(own, given->key)) return CK_OK;
  ck_status status = ck_inner_escapes_decode(&plain, given->value, err);
  if (plain) item.value = plain;
  if (status == CK_OK) status = ask_plain(out, own, &item, err);
  ck_value_free(plain);
  if (status == CK_OK) return CK_OK;
  clear_redaction(out);
  out->verdict = CK_REDACT_DROP;
  return status;
}
