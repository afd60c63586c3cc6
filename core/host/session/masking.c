/* masking.c - asks the rules and a session's own policies what they make of a person's word. */
#include "core/host/session/masking.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/placeholder.h"

/* ---- finding ---- */

static ck_status write_body(ck_value **out, const ck_masking_word *word, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", word->key);
  ck_json_member_raw(&w, "result", ck_value_bytes(word->given));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static bool holds(ck_bytes text, ck_bytes part) {
  return memmem(text.data, text.len, part.data, part.len) != NULL;
}

/* By the kinds of the placeholders that are new. */
static void put_rules(ck_json_writer *who, ck_bytes kept, ck_bytes given) {
  ck_bytes rest = kept, found, kind;
  while (ck_placeholder_find(&found, &kind, rest)) {
    ck_bytes before = {kept.data, (size_t)(found.data - kept.data)};
    bool told = holds(given, found) || holds(before, kind);
    if (!told) {
      ck_json_begin(who, '{');
      ck_json_name(who, "rule");
      ck_json_put_string(who, kind);
      ck_json_end(who, '}');
    }
    const char *behind = found.data + found.len;
    rest = (ck_bytes){behind, (size_t)(kept.data + kept.len - behind)};
  }
}

/* Rules first, then the policies over what these leave, as everything that is written. */
static ck_status ask(ck_value **kept, ck_value **by, ck_own_policies *own, ck_redactor *redactor,
                     ck_value *body, ck_error *err) {
  ck_buffer list = {0};
  ck_json_writer who = {.out = &list};
  ck_value *ruled = NULL;
  const ck_event event = {.kind = CK_EVENT_RESOLUTION, .body = body};
  ck_status status = ck_redactor_apply_event(&ruled, redactor, event.kind, body, err);
  ck_json_begin(&who, '[');
  if (status == CK_OK && ruled) put_rules(&who, ck_value_bytes(ruled), ck_value_bytes(body));
  if (status == CK_OK) status = ck_own_policies_try(kept, &who, own, redactor, &event, err);
  ck_json_end(&who, ']');
  if (status == CK_OK) status = ck_value_from(by, &list, err);
  ck_buffer_clear(&list);
  ck_value_free(ruled);
  return status;
}

ck_status ck_masking_find(ck_masking *out, ck_own_policies *own, ck_redactor *redactor,
                          const ck_masking_word *word, ck_error *err) {
  ck_value *body = NULL, *kept = NULL, *copy = NULL;
  *out = (ck_masking){0};
  ck_status status = write_body(&body, word, err);
  if (status == CK_OK) status = ask(&kept, &out->by, own, redactor, body, err);
  ck_bytes result = kept ? ck_json_get(ck_value_bytes(kept), "result") : (ck_bytes){0};
  if (status == CK_OK && result.len && !ck_bytes_equal(result, ck_value_bytes(word->given)))
    status = ck_value_copy(&copy, result, err);
  out->kept = copy;
  ck_value_free(kept);
  ck_value_free(body);
  if (status != CK_OK) ck_masking_clear(out);
  return status;
}

void ck_masking_clear(ck_masking *self) {
  ck_value_free(self->kept);
  ck_value_free(self->by);
  *self = (ck_masking){0};
}

/* ---- telling ---- */

void ck_masking_put(ck_document *document, const ck_masking *self) {
  if (!self->kept) return;
  ck_document_put_value(document, NULL, "masked_by", self->by);
  ck_document_put_value(document, NULL, "kept", self->kept);
}

static void append_text(ck_buffer *out, const char *before, ck_bytes string, const char *behind) {
  if (!string.len) return;
  ck_buffer_append_text(out, before);
  ck_json_read_string(out, string);
  ck_buffer_append_text(out, behind);
}

/* "policy names (texts)", "a rule of ckrun (jwt)". */
static void append_who(ck_buffer *out, ck_bytes who) {
  ck_bytes policy = ck_json_get(who, "policy");
  append_text(out, "policy ", policy, "");
  append_text(out, " of ", ck_json_get(who, "agent"), "");
  if (!policy.len) ck_buffer_append_text(out, "a rule of ckrun");
  append_text(out, " (", ck_json_get(who, "rule"), ")");
}

void ck_masking_append(ck_buffer *out, const ck_masking *self) {
  const char *before = "masked before it was kept, by ";
  if (!self->kept) return;
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->by));
  for (; ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    append_who(out, it.value);
  }
  ck_bytes kept = ck_value_bytes(self->kept);
  ck_buffer_append_text(out, ": the session goes on with ");
  ck_buffer_append(out, kept.data, kept.len);
  ck_buffer_append_text(out, ", on which no program is run but a pure one");
}

void ck_masking_tell(ck_output *output, const ck_masking *self) {
  ck_buffer text = {0};
  ck_masking_append(&text, self);
  if (text.len && !text.failed) ck_output_notice(output, "%s", text.data);
  ck_buffer_clear(&text);
}
