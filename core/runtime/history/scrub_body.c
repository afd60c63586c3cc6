/* scrub_body.c - masks a secret in an event, and digests what was asked again. */
#include "core/runtime/history/scrub_body.h"

#include <stdlib.h>
#include <string.h>

void ck_scrub_bodies_clear(ck_scrub_bodies *self) {
  for (size_t i = 0; i < self->digests.cap; i++) free(self->digests.slots[i].value);
  ck_map_clear(&self->digests);
  *self = (ck_scrub_bodies){0};
}

/* ---- digests ---- */

static bool read_digest(char out[CK_REQUEST_DIGEST_SIZE], ck_bytes member) {
  if (ck_json_type_of(member) != CK_JSON_STRING || member.len != CK_REQUEST_DIGEST_SIZE + 1)
    return false;
  memcpy(out, member.data + 1, CK_REQUEST_DIGEST_SIZE - 1);
  out[CK_REQUEST_DIGEST_SIZE - 1] = '\0';
  return true;
}

static ck_status note_change(ck_scrub_bodies *self, const char *before, const char *after,
                             ck_error *err) {
  if (ck_map_get(&self->digests, before)) return CK_OK;
  ck_digest_change *made = malloc(sizeof *made);
  if (!made) return ck_error_no_memory(err);
  memcpy(made->before, before, sizeof made->before);
  memcpy(made->after, after, sizeof made->after);
  ck_status status = ck_map_add(&self->digests, made->before, made, err);
  if (status != CK_OK) free(made);
  return status;
}

/* Of an intent. The digest of a model's call is over the conversation as well, unless it brings
 * messages of its own: that lies in other events, and once one of those has changed it can neither
 * be made again nor stay, for the secret could be found by trying. */
static ck_status digest_intent(ck_scrub_bodies *self, ck_bytes before, ck_bytes after,
                               ck_error *err) {
  char recorded[CK_REQUEST_DIGEST_SIZE], now[CK_REQUEST_DIGEST_SIZE];
  ck_bytes request = ck_json_get(before, "request"), scrubbed = ck_json_get(after, "request");
  const ck_effect alone = {.reserve_tokens = -1};
  bool model = ck_json_is_text(ck_json_get(before, "kind"), ck_effect_kind_name(CK_EFFECT_MODEL)) &&
               !ck_json_get(request, "messages").len;
  if (!read_digest(recorded, ck_json_get(before, "digest"))) return CK_OK;
  ck_request_digest(now, &alone, request);
  bool whole = !model && ck_request_digest_equal(ck_bytes_text(now), ck_bytes_text(recorded));
  bool changed = !ck_bytes_equal(request, scrubbed);
  if (!changed &&
      (!model || !self->touched || ck_request_digest_is_scrubbed(ck_bytes_text(recorded))))
    return note_change(self, recorded, recorded, err);
  if (whole)
    ck_request_digest(now, &alone, scrubbed);
  else
    ck_request_digest_scrub(now, scrubbed);
  return note_change(self, recorded, now, err);
}

static bool is_digest(ck_bytes raw_name) {
  static const char *const names[] = {"\"digest\"", "\"recorded\"", "\"asked\""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (ck_bytes_equal(raw_name, ck_bytes_text(names[i]))) return true;
  return false;
}

/* ---- members ---- */

/* What ckrun itself goes by: ids, keys of effects, kinds. They hold a secret only where somebody
 * named something after it. */
static bool is_own(ck_bytes raw_name) {
  static const char *const names[] = {"key",        "kind",      "class",  "checkpoint", "run",
                                      "parent_run", "id",        "status", "via",        "verdict",
                                      "what",       "dimension", "hook",   "target",     "of"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (raw_name.len == strlen(names[i]) + 2 &&
        memcmp(raw_name.data + 1, names[i], raw_name.len - 2) == 0)
      return true;
  return false;
}

/* One that no intent has may be of a request that held the secret. */
static void put_digest(ck_json_writer *w, const ck_scrub_bodies *self, ck_bytes value) {
  char digest[CK_REQUEST_DIGEST_SIZE];
  bool read = read_digest(digest, value);
  const ck_digest_change *change = read ? ck_map_get(&self->digests, digest) : NULL;
  bool goes = read && !change && self->touched && self->of_request;
  if (goes) ck_request_digest_scrub(digest, (ck_bytes){NULL, 0});
  if (change || goes)
    ck_json_put_text(w, change ? change->after : digest);
  else
    ck_json_put_raw(w, value);
}

static void put_member(ck_json_writer *w, ck_scrub_bodies *self, const ck_json_iterator *before,
                       const ck_json_iterator *after) {
  bool own = is_own(before->name);
  self->kept |= own && !ck_bytes_equal(before->value, after->value);
  ck_json_raw_name(w, own ? before->name : after->name);
  if (is_digest(before->name))
    put_digest(w, self, before->value);
  else if (own)
    ck_json_put_raw(w, before->value);
  else
    ck_json_put_raw(w, after->value);
}

static void put_body(ck_json_writer *w, ck_scrub_bodies *self, ck_bytes before, ck_bytes after) {
  ck_json_iterator was = ck_json_iterate(before), is = ck_json_iterate(after);
  ck_json_begin(w, '{');
  while (ck_json_next(&was) && ck_json_next(&is)) put_member(w, self, &was, &is);
  ck_json_end(w, '}');
}

static bool has_digest(ck_event_kind kind) {
  return kind == CK_EVENT_INTENT || kind == CK_EVENT_OUTCOME || kind == CK_EVENT_DIVERGENCE;
}

ck_status ck_scrub_body(ck_value **out, ck_scrub_bodies *self, ck_event_kind kind,
                        const ck_value *body, ck_error *err) {
  ck_value *masked = NULL;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  self->kept = false;
  self->of_request = has_digest(kind);
  *out = NULL;
  ck_status status = ck_redactor_apply_event(&masked, self->redactor, kind, body, err);
  ck_bytes before = ck_value_bytes(body), after = masked ? ck_value_bytes(masked) : before;
  bool changed = !ck_bytes_equal(before, after);
  self->touched |= changed;
  if (status == CK_OK && kind == CK_EVENT_INTENT) status = digest_intent(self, before, after, err);
  if (status == CK_OK && (changed || self->of_request)) {
    put_body(&w, self, before, after);
    status = ck_buffer_check(&text, err);
    changed = !ck_bytes_equal(before, ck_buffer_bytes(&text));
  }
  if (status == CK_OK && changed)
    status = ck_value_from(out, &text, err);
  else if (status == CK_OK)
    *out = ck_value_share(body);
  ck_value_free(masked);
  ck_buffer_clear(&text);
  return status;
}
