/* known.c - turns known secrets into patterns and searches for them under the layers of encoding of
 * a text. */
#include "core/redact/known.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/redact/encode.h"
#include "core/redact/mended.h"
#include "core/redact/redact.h"

enum { JSON_LAYERS = 5, PERCENT_LAYERS = 2, LINE_MIN = 16, ENCODED_MIN = 6, HALF_MIN = 8 };
enum { FORM_MOST = 4, FORM_MORE = 64 };

/* Flags of a pattern's owner: the pattern is the first or last half of the secret, which matches
 * only where a text was cut off inside it. */
#define HEAD_HALF 0x80000000u
#define TAIL_HALF 0x40000000u
/* Flags of base64: the characters before and after the pattern hold bits of the secret as well. */
#define BITS_BEFORE 0x20000000u
#define BITS_BEHIND 0x10000000u
#define OWNER 0x0fffffffu

static const char line_breaks[] = "\r\n";

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static ck_bytes trim(ck_bytes text) {
  while (text.len > 0 && is_space(text.data[text.len - 1])) text.len--;
  while (text.len > 0 && is_space(*text.data)) text = (ck_bytes){text.data + 1, text.len - 1};
  return text;
}

/* Adds an encoded form and its two halves. */
static ck_status append_form(ck_known *self, ck_bytes form, uint32_t owner, ck_error *err) {
  size_t half = (form.len + 1) / 2;
  ck_status status = ck_patterns_append(&self->patterns, form, owner, err);
  if (status != CK_OK || half < HALF_MIN) return status;
  status = ck_patterns_append(&self->patterns, (ck_bytes){form.data, half}, owner | HEAD_HALF, err);
  ck_bytes tail = {form.data + form.len - half, half};
  return status == CK_OK ? ck_patterns_append(&self->patterns, tail, owner | TAIL_HALF, err)
                         : status;
}

/* As it is left where bytes that cannot be kept were replaced before the text came here. */
static ck_status add_mended(ck_known *self, ck_bytes bytes, uint32_t owner, ck_error *err) {
  ck_buffer form = {0};
  ck_status status = CK_OK;
  if (!ck_buffer_extend(&form, bytes.len * CK_MENDED_MOST)) return ck_error_no_memory(err);
  for (int i = 0; i < CK_MENDINGS && status == CK_OK; i++) {
    ck_buffer_reset(&form);
    ck_mended_append(&form, i, bytes);
    if (form.len >= CK_SECRET_MIN) status = append_form(self, ck_buffer_bytes(&form), owner, err);
  }
  if (form.data) explicit_bzero(form.data, form.cap);
  ck_buffer_clear(&form);
  return status;
}

/* Raw and in the encodings of encode.h; escapes, percent-encoding and entities are decoded in the
 * text instead. */
static ck_status add_encodings(ck_known *self, ck_bytes bytes, uint32_t owner, ck_error *err) {
  ck_status status = append_form(self, bytes, owner, err);
  ck_buffer form = {0};
  /* A buffer that grows leaves copies behind; no form has more. */
  if (!ck_buffer_extend(&form, bytes.len * FORM_MOST + FORM_MORE)) return ck_error_no_memory(err);
  for (int i = 0; i < CK_ENCODINGS && status == CK_OK; i++) {
    ck_buffer_reset(&form);
    ck_encode_append(&form, i, bytes);
    status = ck_buffer_check(&form, err);
    ck_encoding_rest rest = ck_encode_rest(i, bytes.len);
    uint32_t as = owner | (rest.before ? BITS_BEFORE : 0) | (rest.behind ? BITS_BEHIND : 0);
    if (status == CK_OK && form.len >= ENCODED_MIN)
      status = append_form(self, ck_buffer_bytes(&form), as, err);
  }
  if (form.data) explicit_bzero(form.data, form.cap);
  ck_buffer_clear(&form);
  return status;
}

/* The first line of `*rest`, which moves past it; a line break written as an escape counts. */
static ck_bytes take_line(ck_bytes *rest) {
  size_t len = 0, gap = 0;
  for (; len < rest->len; len++) {
    char c = rest->data[len], next = len + 1 < rest->len ? rest->data[len + 1] : '\0';
    gap = strchr(line_breaks, c) && c ? 1 : c == '\\' && (next == 'n' || next == 'r') ? 2 : 0;
    if (gap > 0) break;
  }
  ck_bytes line = {rest->data, len};
  *rest = (ck_bytes){rest->data + len + gap, rest->len - len - gap};
  return line;
}

/* A program that reads a key file may print one line of it, so each line is a secret. The frame of
 * a PEM block is none. */
static ck_status add_lines(ck_known *self, ck_bytes secret, uint32_t owner, ck_error *err) {
  ck_status status = CK_OK;
  ck_bytes rest = secret;
  while (rest.len > 0 && status == CK_OK) {
    ck_bytes line = trim(take_line(&rest));
    bool frame = line.len > 5 && memcmp(line.data, "-----", 5) == 0;
    if (line.len >= LINE_MIN && line.len < secret.len && !frame)
      status = add_encodings(self, line, owner, err);
  }
  return status;
}

static ck_status add_secret(ck_known *self, const char *name, ck_bytes secret, ck_error *err) {
  ck_secret *secrets = ck_array_grow(self->secrets, self->count, &self->cap, sizeof *secrets);
  if (!secrets) return ck_error_no_memory(err);
  self->secrets = secrets;
  ck_secret *made = &self->secrets[self->count];
  *made = (ck_secret){.len = secret.len};
  made->bytes = ck_locked_copy(&self->bytes, secret.data, secret.len);
  if (!made->bytes) return ck_error_no_memory(err);
  ck_kind_write(made->kind, name);
  if (memmem(made->kind, strlen(made->kind), secret.data, secret.len))
    ck_kind_write(made->kind, NULL);
  self->count++;
  if (secret.len > self->longest) self->longest = secret.len;
  return CK_OK;
}

static bool is_known(const ck_known *self, ck_bytes secret) {
  for (size_t i = 0; i < self->count; i++)
    if (ck_bytes_equal(secret, (ck_bytes){self->secrets[i].bytes, self->secrets[i].len}))
      return true;
  return false;
}

void ck_known_set_key(ck_known *self, const ck_fingerprint_key *key) {
  for (size_t i = 0; i < self->count; i++) {
    ck_secret *secret = &self->secrets[i];
    ck_placeholder_write(secret->placeholder, key, secret->kind,
                         (ck_bytes){secret->bytes, secret->len});
  }
}

ck_status ck_known_append(ck_known *self, const ck_fingerprint_key *key, const char *name,
                          ck_bytes secret, ck_error *err) {
  secret = trim(secret);
  if (secret.len < CK_SECRET_MIN)
    return ck_error_set(
        err, CK_E_RANGE,
        "secret \"%s\" is shorter than %d bytes: it could not be told from ordinary text", name,
        CK_SECRET_MIN);
  if (secret.len > CK_SECRET_MAX)
    return ck_error_set(err, CK_E_RANGE, "secret \"%s\" has %zu bytes, at most %d are allowed",
                        name, secret.len, CK_SECRET_MAX);
  if (is_known(self, secret)) return CK_OK;
  uint32_t owner = (uint32_t)self->count;
  ck_status status = add_secret(self, name, secret, err);
  if (status == CK_OK) status = add_encodings(self, secret, owner, err);
  if (status == CK_OK) status = add_mended(self, secret, owner, err);
  if (status == CK_OK) status = add_lines(self, secret, owner, err);
  ck_patterns_init(&self->patterns);
  ck_known_set_key(self, key);
  return status;
}

/* One search; the decoded layers lie in `known->layers`. */
typedef struct search {
  ck_edits *out;
  ck_known *known;
  ck_bytes source;
  int depth;
  uint32_t rule;
} search;

/* A match inside a placeholder is none, unless the secret itself was written as the placeholder's
 * kind. */
static bool is_inert(const search *self, size_t start, size_t end) {
  ck_bytes kind;
  if (!ck_placeholder_around(&kind, self->source, start)) return false;
  const char *at = self->source.data;
  return at + start < kind.data || at + end > kind.data + kind.len;
}

/* A run of overlapping matches of one secret is one edit, or a long run would cost more than its
 * text. */
static void record(search *self, size_t start, size_t end, const ck_secret *secret) {
  for (int i = self->depth; i-- > 0;) ck_unfolded_map(&self->known->layers[i], &start, &end);
  if (is_inert(self, start, end)) return;
  ck_bytes text = ck_bytes_text(secret->placeholder);
  ck_edit *last = self->out->count > 0 ? &self->out->list[self->out->count - 1] : NULL;
  if (last && last->start <= start && start < last->end &&
      ck_bytes_equal(ck_edits_text(self->out, last), text)) {
    if (end > last->end) last->end = end;
    return;
  }
  ck_edits_append(self->out, start, end, text, self->rule);
}

static bool hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* Whether a text that was shortened can end here: at a string's end or dots, perhaps inside a
 * percent-encoded byte. */
static bool ends_at(ck_bytes text, size_t at) {
  if (at < text.len && text.data[at] == '%') at++;
  if (at < text.len && at > 0 && text.data[at - 1] == '%' && hex_digit(text.data[at])) at++;
  size_t left = text.len - at;
  const char *next = text.data + at;
  if (left == 0 || *next == '"' || *next == '\\') return true;
  return left >= 3 && (memcmp(next, "...", 3) == 0 || memcmp(next, "\xe2\x80\xa6", 3) == 0);
}

static bool begins_at(ck_bytes text, size_t at) {
  if (at == 0 || text.data[at - 1] == '"') return true;
  const char *before = text.data + at - 3;
  return at >= 3 && (memcmp(before, "...", 3) == 0 || memcmp(before, "\xe2\x80\xa6", 3) == 0);
}

/* Extends a half by as much of the secret as follows; false when the text continues differently. */
static bool widen(size_t *start, size_t *end, const ck_pattern *half, ck_bytes text) {
  if (half->owner & HEAD_HALF) {
    const ck_pattern *whole = half - 1;
    while (*end < text.len && *end - *start < whole->len &&
           text.data[*end] == whole->bytes[*end - *start])
      ++*end;
    return ends_at(text, *end);
  }
  const ck_pattern *whole = half - 2;
  size_t left = whole->len - half->len;
  for (; *start > 0 && left > 0 && text.data[*start - 1] == whole->bytes[left - 1]; left--)
    --*start;
  return begins_at(text, *start);
}

static bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         (c && strchr("+/-_", c));
}

/* Extends the match by the base64 characters that the secret shares with its surroundings, and by
 * the padding. */
static void take_rest(size_t *start, size_t *end, const ck_pattern *found, ck_bytes text) {
  bool front = (found->owner & BITS_BEFORE) && !(found->owner & TAIL_HALF);
  bool back = (found->owner & BITS_BEHIND) && !(found->owner & HEAD_HALF);
  if (front && *start > 0 && is_base64(text.data[*start - 1])) --*start;
  if (!back || *end == text.len || !is_base64(text.data[*end])) return;
  ++*end;
  for (int i = 0; i < 2 && *end < text.len && text.data[*end] == '='; i++) ++*end;
}

static void find_here(search *self, ck_bytes text) {
  const ck_pattern *found;
  for (size_t at = 0;
       (found = ck_patterns_next(&self->known->patterns, text, &at)) && !self->out->failed; at++) {
    size_t start = at, end = at + found->len;
    bool half = found->owner & (HEAD_HALF | TAIL_HALF);
    if (half && !widen(&start, &end, found, text)) continue;
    take_rest(&start, &end, found, text);
    record(self, start, end, &self->known->secrets[found->owner & OWNER]);
  }
}

typedef void unfold_function(ck_unfolded *out, ck_bytes text);

/* Decodes one layer of `*text`; false when there is none. */
static bool unfold(search *self, unfold_function *unfolds, char sign, ck_bytes *text) {
  if (text->len == 0 || !memchr(text->data, sign, text->len)) return false;
  ck_unfolded *layer = &self->known->layers[self->depth];
  unfolds(layer, *text);
  if (layer->count == 0) return false;
  self->depth++;
  *text = ck_buffer_bytes(&layer->text);
  find_here(self, *text);
  return true;
}

/* One layer of `text`, by its first sign; the text itself is as it was. */
static void find_under(search *self, unfold_function *unfolds, char sign, ck_bytes text) {
  int depth = self->depth;
  unfold(self, unfolds, sign, &text);
  self->depth = depth;
}

static void find_hidden(search *self, ck_bytes text) {
  static const char signs[] = "\x1b\xc2\xe2\xef";
  for (const char *sign = signs; *sign; sign++) {
    if (!memchr(text.data, *sign, text.len)) continue;
    find_under(self, ck_unfold_hidden, *sign, text);
    return;
  }
}

static void find_under_percent(search *self, ck_bytes text) {
  int depth = self->depth;
  find_under(self, ck_unfold_lines, '\n', text);
  find_under(self, ck_unfold_entities, '&', text);
  find_under(self, ck_unfold_bytes, '\\', text);
  find_hidden(self, text);
  for (int i = 0; i < PERCENT_LAYERS && unfold(self, ck_unfold_percent, '%', &text); i++)
    find_under(self, ck_unfold_lines, '\n', text);
  self->depth = depth;
}

ck_status ck_known_find(ck_edits *out, ck_known *self, ck_bytes text, uint32_t rule,
                        ck_error *err) {
  if (self->count == 0 || text.len == 0) return CK_OK;
  search s = {.out = out, .known = self, .source = text, .rule = rule};
  find_here(&s, text);
  find_under_percent(&s, text);
  for (int i = 0; i < JSON_LAYERS && unfold(&s, ck_unfold_json, '\\', &text); i++)
    find_under_percent(&s, text);
  ck_status status = CK_OK;
  for (int i = 0; i < CK_KNOWN_LAYERS && status == CK_OK; i++) {
    ck_unfolded *layer = &self->layers[i];
    if (layer->failed || layer->text.failed) status = ck_error_no_memory(err);
  }
  for (int i = 0; status != CK_OK && i < CK_KNOWN_LAYERS; i++) ck_unfolded_clear(&self->layers[i]);
  ck_edits_merge(out);
  return status == CK_OK ? ck_edits_check(out, err) : status;
}

/* A byte written as \u00XX has 2^(layers - 1) backslashes under that many layers; hex and base64
 * take less. */
size_t ck_known_reach(const ck_known *self) {
  return self->longest * ((1 << (JSON_LAYERS - 1)) + 5);
}

void ck_known_clear(ck_known *self) {
  ck_locked_clear(&self->bytes);
  free(self->secrets);
  ck_patterns_clear(&self->patterns);
  for (int i = 0; i < CK_KNOWN_LAYERS; i++) {
    ck_buffer *text = &self->layers[i].text;
    if (text->data) explicit_bzero(text->data, text->cap);
    ck_unfolded_clear(&self->layers[i]);
  }
  *self = (ck_known){0};
}
