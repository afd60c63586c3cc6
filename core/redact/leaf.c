/* leaf.c - searches inside one string: JSON, members of JSON in other text, tokens. */
#include <string.h>

#include "core/redact/redact_private.h"

enum { NESTING_MAX = 4, MEMBER_MAX = 8192 };

/* Maps edits of the unfolded text to the string it came from, and escapes their texts likewise. */
static void carry_over(ck_edits *out, const ck_edits *from, const ck_unfolded *plain,
                       size_t offset) {
  ck_buffer text = {0};
  for (size_t i = 0; i < from->count; i++) {
    size_t start = from->list[i].start, end = from->list[i].end;
    ck_unfolded_map(plain, &start, &end);
    ck_buffer_reset(&text);
    ck_json_append_string(&text, ck_edits_text(from, &from->list[i]));
    if (text.failed) break;
    ck_edits_append(out, offset + start, offset + end, (ck_bytes){text.data + 1, text.len - 2},
                    from->list[i].rule);
  }
  if (text.failed) out->failed = true;
  ck_buffer_clear(&text);
}

/* Nested documents are searched for known secrets as well, because their surroundings matter. */
static ck_status walk_nested(ck_edits *out, const ck_walk_case *of, ck_bytes json, ck_error *err) {
  ck_edits known = {0};
  ck_walk_case nested = {.redactor = of->redactor,
                         .json = json,
                         .known = &known,
                         .apply = of->apply,
                         .nesting = of->nesting + 1};
  ck_status status = CK_OK;
  if (of->known->count > 0)
    status = ck_known_find(&known, &of->redactor->known, json, CK_RULE_KNOWN, err);
  if (status == CK_OK) status = ck_walk_find(out, &nested, err);
  ck_edits_clear(&known);
  return status;
}

/* Whether a document inside the string must be walked: it holds a known secret, which signed blocks
 * and ids treat as a whole, or a name that matches a rule. */
static bool wants_walk(const ck_walk_case *of, ck_bytes inner) {
  size_t at = 0, depth;
  if (of->nesting >= NESTING_MAX) return false;
  if (of->known->count > 0) return true;
  return of->apply & CK_APPLY_KEYS && ck_keys_next(&at, &depth, &of->redactor->keys, inner);
}

static bool is_document(ck_bytes text) {
  while (text.len > 0 && strchr(" \t\r\n", *text.data))
    text = (ck_bytes){text.data + 1, text.len - 1};
  return text.len > 1 && (*text.data == '{' || *text.data == '[') &&
         ck_json_check(text, NULL) == CK_OK;
}

/* The end of the string that begins after a quote with `depth` backslashes; text.len when it does
 * not end on its line. */
static size_t member_end(ck_bytes text, size_t at, size_t depth) {
  size_t most = text.len - at > MEMBER_MAX ? at + MEMBER_MAX : text.len;
  for (size_t i = at; i < most && text.data[i] != '\n'; i++) {
    if (text.data[i] != '"') continue;
    size_t slashes = 0;
    while (slashes < i - at && text.data[i - slashes - 1] == '\\') slashes++;
    if (slashes == depth) return i - depth;
    if (slashes < depth) return text.len; /* the enclosing string ends */
  }
  return text.len;
}

/* Finds "name": "value" in any text at any depth of escapes, such as lines of JSON or truncated
 * JSON. */
void ck_leaf_find_members(ck_edits *out, const ck_walk_case *of, ck_bytes text, size_t offset) {
  ck_redactor *redactor = of->redactor;
  size_t at = 0, depth;
  const ck_key_rule *rule;
  while ((rule = ck_keys_next(&at, &depth, &redactor->keys, text))) {
    size_t start = at;
    while (start < text.len && text.data[start] == ' ') start++;
    if (text.len - start <= depth || text.data[start + depth] != '"') continue;
    size_t slashes = 0;
    while (slashes < depth && text.data[start + slashes] == '\\') slashes++;
    if (slashes < depth) continue;
    start += depth + 1;
    size_t end = member_end(text, start, depth);
    if (end == text.len) continue;
    ck_bytes value = {text.data + start, end - start};
    if (!ck_keys_takes_text(rule, value)) continue;
    char placeholder[CK_PLACEHOLDER_SIZE];
    ck_redactor_mask(placeholder, redactor, rule->kind, value);
    ck_edits_append(out, offset + start, offset + end, ck_bytes_text(placeholder),
                    ck_redactor_key_rule(redactor, rule));
  }
}

ck_status ck_leaf_find_plain(ck_edits *out, ck_redactor *redactor, ck_bytes text, size_t *open,
                             ck_error *err) {
  ck_assignments assignments = {.keys = &redactor->keys, .text = text};
  ck_assignment found;
  ck_status status = CK_OK;
  if (!redactor->scrubs)
    status = ck_values_find(out, redactor->values, &redactor->key, text, CK_RULE_VALUES, open, err);
  while (status == CK_OK && ck_assignments_next(&found, &assignments, open)) {
    char placeholder[CK_PLACEHOLDER_SIZE];
    ck_redactor_mask(placeholder, redactor, found.rule->kind,
                     (ck_bytes){text.data + found.start, found.end - found.start});
    ck_edits_append(out, found.start, found.end, ck_bytes_text(placeholder),
                    ck_redactor_key_rule(redactor, found.rule));
  }
  return status == CK_OK ? ck_edits_check(out, err) : status;
}

ck_status ck_leaf_find(ck_edits *out, const ck_walk_case *of, ck_bytes inner, size_t offset,
                       ck_error *err) {
  ck_unfolded plain = {0};
  ck_edits found = {0};
  bool escaped = memchr(inner.data, '\\', inner.len) != NULL;
  if (escaped) ck_unfold_json(&plain, inner);
  ck_status status = plain.failed ? ck_error_no_memory(err) : ck_buffer_check(&plain.text, err);
  ck_bytes text = escaped ? ck_buffer_bytes(&plain.text) : inner;
  if (status == CK_OK && wants_walk(of, inner)) {
    if (is_document(text))
      status = walk_nested(&found, of, text, err);
    else if (of->apply & CK_APPLY_KEYS)
      ck_leaf_find_members(out, of, inner, offset);
  }
  if (status == CK_OK && of->apply & CK_APPLY_VALUES)
    status = ck_leaf_find_plain(&found, of->redactor, text, NULL, err);
  ck_edits_merge(&found);
  if (status == CK_OK) status = ck_edits_check(&found, err);
  if (status == CK_OK) carry_over(out, &found, &plain, offset);
  ck_edits_clear(&found);
  ck_unfolded_clear(&plain);
  return status;
}
