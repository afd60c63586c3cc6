/* walk_text.c - redacts one string, name or number of a document. */
#include <stdio.h>
#include <string.h>

#include "core/redact/walk.h"

enum { ID_SIZE = 12 + CK_FINGERPRINT_SIZE };

static ck_bytes part(const ck_walk *self, size_t start, size_t end) {
  return (ck_bytes){self->of->json.data + start, end - start};
}

static const ck_edit *known_in(const ck_walk *self, size_t start, size_t end) {
  const ck_edits *known = self->of->known;
  size_t i = ck_edits_find(known, start);
  bool inside = i < known->count && known->list[i].start < end;
  return inside ? &known->list[i] : NULL;
}

/* True when an escape of the string that begins at `start` is cut by `at`: \t|wo. */
static bool cuts_escape(const char *json, size_t start, size_t at) {
  size_t slashes = 0;
  while (at - slashes > start && json[at - slashes - 1] == '\\') slashes++;
  return slashes % 2 == 1;
}

/* A secret can begin or end with the letters of an escape; what is masked is the whole escape. */
static void take_escapes(const ck_walk *self, size_t *from, size_t *to, size_t start, size_t end) {
  const char *json = self->of->json.data;
  if (cuts_escape(json, start, *from)) --*from;
  if (*to < end && cuts_escape(json, start, *to)) *to += json[*to] == 'u' ? 5 : 1;
}

/* Edits between the quotes; those that reach beyond them belong to no single string of this
 * document. */
static void copy_known(ck_walk *self, size_t start, size_t end) {
  const ck_edits *known = self->of->known;
  for (size_t i = ck_edits_find(known, start); i < known->count && known->list[i].start < end;
       i++) {
    const ck_edit *edit = &known->list[i];
    size_t from = edit->start < start ? start : edit->start, to = edit->end > end ? end : edit->end;
    take_escapes(self, &from, &to, start, end);
    ck_edits_append(self->out, from, to, ck_edits_text(known, edit), edit->rule);
  }
}

/* Letters, digits and '_' only, because providers check the form of ids. The same id always becomes
 * the same text, in every store and with every key: it is part of requests. It tells nothing of the
 * secret, for what is digested is the id with its secrets masked. */
static ck_status replace_id(ck_walk *self, size_t start, size_t end) {
  char text[ID_SIZE] = "redacted_id_", hex[CK_DIGEST_HEX_SIZE];
  ck_edits inside = {0};
  ck_buffer masked = {0};
  ck_digester digester;
  ck_edits *out = self->out;
  self->out = &inside;
  copy_known(self, start, end);
  self->out = out;
  for (size_t i = 0; i < inside.count; i++)
    inside.list[i].start -= start, inside.list[i].end -= start;
  ck_edits_write(&masked, &inside, part(self, start, end));
  ck_digester_init(&digester);
  (void)ck_placeholder_digest_field(&digester, ck_buffer_bytes(&masked));
  ck_digest digest = ck_digester_final(&digester);
  ck_digest_hex(hex, &digest);
  memcpy(text + strlen(text), hex, CK_FINGERPRINT_SIZE - 1);
  bool failed = inside.failed || masked.failed;
  ck_edits_clear(&inside);
  ck_buffer_clear(&masked);
  if (failed) return ck_error_no_memory(self->err);
  ck_edits_append(out, start, end, ck_bytes_text(text), CK_RULE_ID);
  return CK_OK;
}

static void replace(ck_walk *self, const ck_key_rule *rule, size_t start, size_t end,
                    ck_bytes secret, bool quoted) {
  char text[CK_PLACEHOLDER_SIZE + 2] = "\"";
  ck_redactor_mask(text + quoted, self->of->redactor, rule->kind, secret);
  if (quoted) strcat(text, "\"");
  ck_edits_append(self->out, start, end, ck_bytes_text(text),
                  ck_redactor_key_rule(self->of->redactor, rule));
}

/* A string under a secret's name; `*done`: no other rule needs to be tried. */
static ck_status mask_string(bool *done, ck_walk *self, const ck_key_rule *rule, size_t start,
                             size_t end) {
  ck_bytes inner = part(self, start, end);
  ck_unfolded plain = {0};
  bool escaped = memchr(inner.data, '\\', inner.len) != NULL;
  if (escaped) ck_unfold_json(&plain, inner);
  bool failed = plain.failed || plain.text.failed;
  ck_bytes text = escaped && !failed ? ck_buffer_bytes(&plain.text) : inner;
  *done = !failed && ck_keys_takes_text(rule, text);
  if (*done) replace(self, rule, start, end, text, false);
  ck_unfolded_clear(&plain);
  return failed ? ck_error_no_memory(self->err) : CK_OK;
}

/* thinking, redacted_thinking, reasoning, reasoning.encrypted */
static bool is_thinking(ck_bytes type) {
  ck_bytes front = {type.data, type.len < 9 ? type.len : 9};
  return ck_bytes_equal(type, ck_bytes_text("thinking")) ||
         ck_bytes_equal(type, ck_bytes_text("redacted_thinking")) ||
         ck_bytes_equal(front, ck_bytes_text("reasoning"));
}

ck_status ck_walk_string(ck_walk *self, const ck_walk_level *level, size_t start, size_t end) {
  ck_walk_level *own = &self->levels[self->depth];
  ck_bytes inner = part(self, start, end);
  if (inner.len == 0) return CK_OK;
  if (level->seal_due) own->sealed = true;
  if (level->type_due) own->thinking = is_thinking(inner);
  const ck_edit *known = known_in(self, start, end);
  if (level->id) {
    return known ? replace_id(self, start, end) : CK_OK;
  }
  if (ck_placeholder_is(inner)) return CK_OK;
  bool done = false;
  ck_status status = CK_OK;
  if (level->rule) status = mask_string(&done, self, level->rule, start, end);
  if (done || status != CK_OK) return status;
  if (known) copy_known(self, start, end);
  return ck_leaf_find(self->out, self->of, inner, start, self->err);
}

/* Sets what kind of value follows a member's name; `name` is decoded. */
static void expect(const ck_walk *self, ck_walk_level *level, ck_bytes name) {
  const ck_walk_case *of = self->of;
  const ck_key_rule *rule =
      of->apply & CK_APPLY_KEYS ? ck_keys_find(&of->redactor->keys, name) : NULL;
  level->named = true;
  level->id = !rule && ck_keys_is_id(name);
  level->rule = rule ? rule : ck_keys_is_skeleton(name) ? NULL : level->outer;
  level->type_due = ck_bytes_equal(name, ck_bytes_text("type"));
  level->seal_due = ck_bytes_equal(name, ck_bytes_text("signature")) ||
                    ck_bytes_equal(name, ck_bytes_text("data")) ||
                    ck_bytes_equal(name, ck_bytes_text("encrypted_content"));
}

/* Without fingerprints a number keeps two names of one document different. */
static void write_name(char out[CK_PLACEHOLDER_SIZE], ck_walk *self, ck_bytes name) {
  const ck_fingerprint_key *key = &self->of->redactor->key;
  ck_bytes json = self->of->json;
  ck_placeholder_write(out, key, "name", name);
  if (ck_fingerprint_key_is_set(key)) return;
  do {
    snprintf(out, CK_PLACEHOLDER_SIZE, "[redacted:name:%012d]", ++self->masked_names);
  } while (memmem(json.data, json.len, out, strlen(out)));
}

/* A name that contains a secret is replaced as a whole, so that two names stay different. */
static ck_status mask_name(ck_walk *self, ck_bytes name, size_t start, size_t end) {
  size_t mark = self->out->count;
  ck_status status = CK_OK;
  bool hit = known_in(self, start, end) != NULL;
  if (!hit) status = ck_leaf_find(self->out, self->of, part(self, start, end), start, self->err);
  hit = hit || self->out->count > mark;
  ck_edits_cut(self->out, mark);
  if (!hit || status != CK_OK) return status;
  char text[CK_PLACEHOLDER_SIZE];
  write_name(text, self, name);
  ck_edits_append(self->out, start, end, ck_bytes_text(text), CK_RULE_KNOWN);
  return CK_OK;
}

ck_status ck_walk_name(ck_walk *self, ck_walk_level *level, size_t start, size_t end) {
  ck_bytes name = part(self, start, end);
  ck_unfolded plain = {0};
  ck_status status = CK_OK;
  if (name.len > 0 && memchr(name.data, '\\', name.len)) {
    ck_unfold_json(&plain, name);
    name = ck_buffer_bytes(&plain.text);
    if (plain.failed || plain.text.failed) status = ck_error_no_memory(self->err);
  }
  if (status == CK_OK) expect(self, level, name);
  if (status == CK_OK) status = mask_name(self, name, start, end);
  ck_unfolded_clear(&plain);
  return status;
}

ck_status ck_walk_scalar(ck_walk *self, const ck_walk_level *level, size_t start, size_t end) {
  static const ck_key_rule number_rule = {.words = "known", .kind = "number"};
  ck_bytes scalar = part(self, start, end);
  bool number = *scalar.data == '-' || (*scalar.data >= '0' && *scalar.data <= '9');
  if (!number) return CK_OK;
  if (known_in(self, start, end))
    replace(self, &number_rule, start, end, scalar, true);
  else if (level->rule && ck_keys_takes_number(level->rule, scalar))
    replace(self, level->rule, start, end, scalar, true);
  return CK_OK;
}
