/* redact.c - applies all rules to an item, quickly when none can match. */
#include "core/redact/redact_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"

#define SLOT "$ckrun.ref"
enum { PASSES_MAX = 4 };

ck_status ck_redactor_new(ck_redactor **out, ck_error *err) {
  *out = NULL;
  ck_redactor *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = ck_keys_init(&self->keys, NULL, err);
  if (status == CK_OK) status = ck_values_new(&self->values, err);
  if (status != CK_OK) {
    ck_redactor_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

ck_status ck_redactor_new_scrubber(ck_redactor **out, const char *const *names, ck_error *err) {
  ck_status status = ck_redactor_new(out, err);
  if (status == CK_OK) status = ck_keys_init_only(&(*out)->keys, names, err);
  if (status == CK_OK) (*out)->scrubs = true;
  if (status == CK_OK) return CK_OK;
  ck_redactor_free(*out);
  *out = NULL;
  return status;
}

void ck_redactor_free(ck_redactor *self) {
  if (!self) return;
  ck_known_clear(&self->known);
  ck_keys_clear(&self->keys);
  ck_values_free(self->values);
  explicit_bzero(self, sizeof *self);
  free(self);
}

ck_status ck_redactor_add_secret(ck_redactor *self, const char *name, ck_bytes secret,
                                 ck_error *err) {
  return ck_known_append(&self->known, &self->key, name, secret, err);
}

ck_status ck_redactor_copy_secrets(ck_redactor *self, const ck_redactor *from, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < from->known.count && status == CK_OK; i++) {
    const ck_secret *secret = &from->known.secrets[i];
    status =
        ck_redactor_add_secret(self, secret->kind, (ck_bytes){secret->bytes, secret->len}, err);
  }
  return status;
}

ck_status ck_redactor_set_keys(ck_redactor *self, const char *const *names, ck_error *err) {
  return ck_keys_init(&self->keys, names, err);
}

void ck_redactor_set_fingerprint_key(ck_redactor *self, const uint8_t *key) {
  self->key = (ck_fingerprint_key){0};
  if (key) memcpy(self->key.bytes, key, sizeof self->key.bytes);
  ck_known_set_key(&self->known, &self->key);
}

void ck_redactor_set_hook(ck_redactor *self, ck_redact_hook hook, void *hook_self) {
  self->hook = hook;
  self->hook_self = hook_self;
}

void ck_redactor_mask(char out[CK_PLACEHOLDER_SIZE], ck_redactor *self, const char *kind,
                      ck_bytes secret) {
  for (size_t i = 0; i < self->known.count; i++) {
    const ck_secret *known = &self->known.secrets[i];
    if (!ck_bytes_equal(secret, (ck_bytes){known->bytes, known->len})) continue;
    memcpy(out, known->placeholder, CK_PLACEHOLDER_SIZE);
    return;
  }
  ck_placeholder_write(out, &self->key, kind, secret);
}

static unsigned rules_of(ck_sink sink) {
  bool kept = sink == CK_SINK_STATE || sink == CK_SINK_EVENT || sink == CK_SINK_REQUEST;
  return kept ? CK_APPLY_KEYS | CK_APPLY_VALUES : CK_APPLY_VALUES;
}

/* Whether a rule for names or shapes can match at all: most items hold nothing. */
static ck_status suspect(bool *out, ck_redactor *self, unsigned apply, ck_bytes json,
                         ck_error *err) {
  size_t at = 0, depth;
  *out = apply & CK_APPLY_KEYS && ck_keys_next(&at, &depth, &self->keys, json);
  *out = *out || ck_assignments_suspect(&self->keys, json);
  return *out || self->scrubs ? CK_OK : ck_values_suspect(out, self->values, json, err);
}

/* A value that is no JSON (which should not occur) is at least searched as text. */
static ck_status find_in_text(ck_edits *out, const ck_walk_case *of, ck_error *err) {
  for (size_t i = 0; i < of->known->count; i++) {
    const ck_edit *edit = &of->known->list[i];
    ck_edits_append(out, edit->start, edit->end, ck_edits_text(of->known, edit), edit->rule);
  }
  ck_status status = ck_leaf_find_plain(out, of->redactor, of->json, NULL, err);
  if (of->apply & CK_APPLY_KEYS) ck_leaf_find_members(out, of, of->json, 0);
  ck_edits_merge(out);
  return status == CK_OK ? ck_edits_check(out, err) : status;
}

static ck_status find(ck_edits *out, const ck_walk_case *of, ck_error *err) {
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_walk_find(out, of, &ignored);
  if (status != CK_E_PARSE) {
    if (status != CK_OK && err) *err = ignored;
    return status;
  }
  ck_edits_cut(out, 0);
  return find_in_text(out, of, err);
}

static ck_status rewrite(ck_value **out, ck_redactor *self, const ck_edits *edits,
                         const ck_value *value, ck_error *err) {
  if (edits->count == 0) {
    *out = ck_value_share(value);
    return CK_OK;
  }
  ck_buffer text = {0};
  ck_edits_write(&text, edits, ck_value_bytes(value));
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  if (status == CK_OK) ck_redactor_count(self, edits);
  return status;
}

/* One pass of the rules; `rule`: the one that the value's name matches, NULL: none. */
static ck_status apply_once(ck_value **out, ck_redactor *self, unsigned apply,
                            const ck_key_rule *rule, const ck_value *value, ck_error *err) {
  ck_edits known = {0}, edits = {0};
  bool any = rule != NULL;
  ck_walk_case of = {.redactor = self,
                     .json = ck_value_bytes(value),
                     .known = &known,
                     .apply = apply,
                     .rule = rule};
  ck_status status = ck_known_find(&known, &self->known, of.json, CK_RULE_KNOWN, err);
  if (known.count > 0) any = true;
  if (status == CK_OK && !any) status = suspect(&any, self, apply, of.json, err);
  if (status == CK_OK && any) status = find(&edits, &of, err);
  if (status == CK_OK) status = rewrite(out, self, &edits, value, err);
  ck_edits_clear(&known);
  ck_edits_clear(&edits);
  return status;
}

/* Passes until nothing changes: a token beside a secret is recognised only when the secret is
 * masked. */
static ck_status apply_rules(ck_value **out, ck_redactor *self, unsigned apply,
                             const ck_key_rule *rule, const ck_value *value, ck_error *err) {
  ck_value *before = ck_value_share(value);
  ck_status status = CK_OK;
  for (int i = 0; i < PASSES_MAX; i++) {
    status = apply_once(out, self, apply, rule, before, err);
    bool settled = status != CK_OK || *out == before;
    ck_value_free(before);
    if (settled || i == PASSES_MAX - 1) break;
    before = *out;
    *out = NULL;
  }
  return status;
}

bool ck_redact_read_ref(ck_buffer *out, ck_bytes value) {
  bool slot = ck_json_type_of(value) == CK_JSON_OBJECT && ck_json_count(value) == 1;
  return slot && ck_json_read_string(out, ck_json_get(value, SLOT));
}

static bool is_slot(const ck_value *value) {
  ck_bytes json = ck_value_bytes(value);
  return json.len < 512 && ck_json_type_of(ck_json_get(json, SLOT)) != CK_JSON_NONE;
}

static ck_status mask_whole(ck_value **out, ck_redactor *self, const char *kind,
                            const ck_value *value, ck_error *err) {
  char text[CK_PLACEHOLDER_SIZE];
  ck_placeholder_write(text, &self->key, kind, ck_value_bytes(value));
  return ck_value_text(out, ck_bytes_text(text), err);
}

ck_status ck_redact_make_ref(ck_value **out, const char *ref, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, SLOT, ref);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

/* Texts alone: a reader finds how an effect ended, and how much it took, but not its contents. */
static void mask_texts(ck_json_writer *w, ck_redactor *self, ck_bytes value, ck_buffer *plain) {
  ck_json_type type = ck_json_type_of(value);
  ck_json_iterator it = ck_json_iterate(value);
  if (type == CK_JSON_STRING) {
    char text[CK_PLACEHOLDER_SIZE];
    ck_buffer_reset(plain);
    ck_json_read_string(plain, value);
    ck_bytes inner = ck_buffer_bytes(plain);
    bool stays = inner.len == 0 || ck_placeholder_is(inner);
    if (!stays) ck_redactor_mask(text, self, "policy", inner);
    if (plain->failed) w->out->failed = true;
    ck_json_put_string(w, stays ? inner : ck_bytes_text(text));
  } else if (type == CK_JSON_OBJECT || type == CK_JSON_ARRAY) {
    ck_json_begin(w, type == CK_JSON_OBJECT ? '{' : '[');
    while (ck_json_next(&it)) {
      if (it.name.len > 0) ck_json_raw_name(w, it.name);
      mask_texts(w, self, it.value, plain);
    }
    ck_json_end(w, type == CK_JSON_OBJECT ? '}' : ']');
  } else {
    ck_json_put_raw(w, value);
  }
}

static ck_status mask_content(ck_value **out, ck_redactor *self, const ck_value *content,
                              ck_error *err) {
  ck_buffer text = {0}, plain = {0};
  ck_json_writer w = {.out = &text};
  mask_texts(&w, self, ck_value_bytes(content), &plain);
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  ck_buffer_clear(&plain);
  return status;
}

static void put_kept(ck_json_writer *w, ck_redactor *self, ck_bytes before, ck_bytes after) {
  char text[CK_PLACEHOLDER_SIZE];
  bool masked = ck_bytes_equal(before, after) || ck_redact_is_masked(after);
  if (!masked) ck_redactor_mask(text, self, "policy", before);
  if (masked)
    ck_json_put_raw(w, after);
  else
    ck_json_put_text(w, text);
}

static bool is_argument(ck_bytes raw_name) {
  return ck_bytes_equal(raw_name, ck_bytes_text("\"arguments\"")) ||
         ck_bytes_equal(raw_name, ck_bytes_text("\"input\""));
}

/* Writes `after`, which is `before` with other texts. A call that is made from a stored message
 * must not be made with another text than the model gave: within its arguments such a text is a
 * placeholder, or holds one, so that the call is refused. */
static void put_replaced(ck_json_writer *w, ck_redactor *self, ck_bytes before, ck_bytes after,
                         bool argument) {
  ck_json_type type = ck_json_type_of(before);
  ck_json_iterator it = ck_json_iterate(before), by = ck_json_iterate(after);
  if (type != CK_JSON_OBJECT && type != CK_JSON_ARRAY) {
    if (argument && type == CK_JSON_STRING)
      put_kept(w, self, before, after);
    else
      ck_json_put_raw(w, after);
    return;
  }
  ck_json_begin(w, type == CK_JSON_OBJECT ? '{' : '[');
  while (ck_json_next(&it) && ck_json_next(&by)) {
    if (it.name.len > 0) ck_json_raw_name(w, it.name);
    put_replaced(w, self, it.value, by.value, argument || is_argument(it.name));
  }
  ck_json_end(w, type == CK_JSON_OBJECT ? '}' : ']');
}

/* What a hook has put in the place of `content` is subject to the rules, too. */
static ck_status take_replaced(ck_value **out, ck_redactor *self, const ck_value *content,
                               const ck_value *given, bool event, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_value *kept = NULL;
  *out = NULL;
  if (!event) return apply_rules(out, self, rules_of(CK_SINK_STATE), NULL, given, err);
  put_replaced(&w, self, ck_value_bytes(content), ck_value_bytes(given), false);
  ck_status status = ck_value_from(&kept, &text, err);
  if (status == CK_OK) status = apply_rules(out, self, rules_of(CK_SINK_EVENT), NULL, kept, err);
  ck_value_free(kept);
  ck_buffer_clear(&text);
  return status;
}

/* Applies the hook's answer to `content`, which is what the rules left; `whole`: it is a key's
 * whole value, which can be gone, or a reference. */
static ck_status carry_out(ck_value **out, ck_redactor *self, const ck_redact_answer *answer,
                           bool whole, const ck_value *content, ck_error *err) {
  static const uint32_t counted[] = {0, CK_RULE_POLICY_DROP, CK_RULE_POLICY_MASK,
                                     CK_RULE_POLICY_REF, CK_RULE_POLICY_REPLACE};
  ck_redact_verdict verdict = answer->verdict;
  if (verdict > CK_REDACT_REPLACE)
    return ck_error_set(err, CK_E_POLICY, "a redact hook gave answer %d", (int)verdict);
  self->counts[counted[verdict]]++;
  if (verdict == CK_REDACT_REPLACE && answer->value)
    return take_replaced(out, self, content, answer->value, !whole, err);
  if (!whole) return mask_content(out, self, content, err);
  if (verdict == CK_REDACT_DROP) return CK_OK;
  if (verdict == CK_REDACT_REF && answer->ref) return ck_redact_make_ref(out, answer->ref, err);
  return mask_whole(out, self, "policy", content, err);
}

/* The hook sees the content alone; the rest of `value` stays as it is. */
static ck_status ask_hook(ck_value **out, ck_redactor *self, ck_content_of of,
                          const ck_value *value, ck_error *err) {
  ck_redact_answer answer = {0};
  ck_value *content = NULL, *kept = NULL;
  ck_status status = ck_content_pick(&content, of, value, err);
  if (status != CK_OK || !content) {
    *out = status == CK_OK ? ck_value_share(value) : NULL;
    return status;
  }
  status = self->hook(&answer, self->hook_self, of.key, content, err);
  bool whole = of.key && content == value;
  bool left = status == CK_OK && answer.verdict == CK_REDACT_LEAVE;
  if (left) *out = ck_value_share(value);
  if (status == CK_OK && !left) status = carry_out(&kept, self, &answer, whole, content, err);
  if (status == CK_OK && kept) status = ck_content_put(out, of, value, kept, err);
  free(answer.ref);
  ck_value_free(answer.value);
  ck_value_free(kept);
  ck_value_free(content);
  return status;
}

/* Of memory.api_key and outputs.token the name is the part after the name space. */
static const ck_key_rule *rule_of_key(const ck_redactor *self, ck_sink sink, const char *key) {
  if (sink != CK_SINK_STATE || !key) return NULL;
  const char *dot = strchr(key, '.');
  return ck_keys_find(&self->keys, ck_bytes_text(dot ? dot + 1 : key));
}

ck_status ck_redactor_apply(ck_value **out, ck_redactor *self, ck_sink sink, const char *key,
                            const ck_value *value, ck_error *err) {
  *out = NULL;
  if (!value) return CK_OK;
  const ck_key_rule *rule = rule_of_key(self, sink, key);
  if (rule && rule->flags & CK_KEY_EXCLUDED) {
    self->counts[CK_RULE_EXCLUDED]++;
    return CK_OK;
  }
  ck_value *ruled = NULL;
  ck_status status;
  if (sink == CK_SINK_STATE && !self->scrubs && is_slot(value)) {
    self->counts[CK_RULE_SECRET_REFERENCE]++;
    status = mask_whole(&ruled, self, "slot", value, err);
  } else {
    status = apply_rules(&ruled, self, rules_of(sink), rule, value, err);
  }
  bool asked = self->hook && ruled && (sink == CK_SINK_STATE || sink == CK_SINK_EVENT);
  if (status == CK_OK && asked) {
    status = ask_hook(out, self, (ck_content_of){self->kind, key}, ruled, err);
  } else if (status == CK_OK) {
    *out = ruled;
    ruled = NULL;
  }
  ck_value_free(ruled);
  return status;
}

ck_status ck_redactor_apply_event(ck_value **out, ck_redactor *self, ck_event_kind kind,
                                  const ck_value *body, ck_error *err) {
  self->kind = kind;
  ck_status status = ck_redactor_apply(out, self, CK_SINK_EVENT, NULL, body, err);
  self->kind = 0;
  return status;
}

static ck_status drop_item(ck_redact_answer *out, void *self, const char *key,
                           const ck_value *value, ck_error *err) {
  (void)self, (void)key, (void)value, (void)err;
  *out = (ck_redact_answer){.verdict = CK_REDACT_DROP};
  return CK_OK;
}

ck_status ck_redactor_drop_event(ck_value **out, ck_redactor *self, ck_event_kind kind,
                                 const ck_value *body, ck_error *err) {
  ck_redact_hook hook = self->hook;
  self->hook = drop_item;
  ck_status status = ck_redactor_apply_event(out, self, kind, body, err);
  self->hook = hook;
  return status;
}

/* One pass; `*again`: something was masked. */
static ck_status apply_text_once(ck_buffer *out, bool *again, ck_redactor *self, ck_sink sink,
                                 ck_bytes text, ck_error *err) {
  ck_edits known = {0}, edits = {0};
  ck_walk_case of = {.redactor = self, .json = text, .known = &known, .apply = rules_of(sink)};
  ck_status status = ck_known_find(&known, &self->known, text, CK_RULE_KNOWN, err);
  if (status == CK_OK) status = find_in_text(&edits, &of, err);
  if (status == CK_OK) ck_edits_write(out, &edits, text);
  if (status == CK_OK) ck_redactor_count(self, &edits);
  if (status == CK_OK) status = ck_buffer_check(out, err);
  *again = edits.count > 0;
  ck_edits_clear(&known);
  ck_edits_clear(&edits);
  return status;
}

/* In passes for the reason of apply_rules. */
ck_status ck_redactor_apply_text(ck_buffer *out, ck_redactor *self, ck_sink sink, ck_bytes text,
                                 ck_error *err) {
  bool again;
  size_t begin = out->len;
  ck_buffer before = {0};
  ck_status status = apply_text_once(out, &again, self, sink, text, err);
  for (int i = 1; i < PASSES_MAX && again && status == CK_OK; i++) {
    ck_buffer_reset(&before);
    ck_buffer_append(&before, out->data + begin, out->len - begin);
    status = ck_buffer_check(&before, err);
    out->len = begin;
    if (status == CK_OK)
      status = apply_text_once(out, &again, self, sink, ck_buffer_bytes(&before), err);
    again = status == CK_OK && !ck_bytes_equal(ck_buffer_bytes(&before),
                                               (ck_bytes){out->data + begin, out->len - begin});
  }
  ck_buffer_clear(&before);
  return status;
}

bool ck_redact_is_masked(ck_bytes text) {
  ck_bytes found;
  return ck_placeholder_find(&found, NULL, text);
}

bool ck_redact_matches(ck_bytes masked, ck_bytes original) {
  return ck_placeholder_matches(masked, original);
}
