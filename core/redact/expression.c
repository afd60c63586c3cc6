/* expression.c - matches a person's regular expression, within limits, and collects what it
 * matches. */
#include "core/redact/expression.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "core/redact/redact_private.h"

enum { MATCH_LIMIT = 10000000, HEAP_LIMIT_KIB = 65536 };

struct ck_expression {
  pcre2_code *code;
  pcre2_match_context *limits;
  pcre2_match_data *match;
  size_t count;
};

void ck_expression_free(ck_expression *self) {
  if (!self) return;
  pcre2_code_free(self->code);
  pcre2_match_context_free(self->limits);
  pcre2_match_data_free(self->match);
  free(self);
}

static ck_status compile(ck_expression *self, const char *text, ck_error *err) {
  int code;
  PCRE2_SIZE at;
  PCRE2_UCHAR why[128] = "";
  self->code =
      pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &code, &at, NULL);
  if (!self->code) {
    pcre2_get_error_message(code, why, sizeof why);
    return ck_error_set(err, CK_E_USAGE,
                        "the pattern is no regular expression: %s, at character "
                        "%zu",
                        (const char *)why, at + 1);
  }
  self->limits = pcre2_match_context_create(NULL);
  self->match = pcre2_match_data_create_from_pattern(self->code, NULL);
  if (!self->limits || !self->match) return ck_error_no_memory(err);
  pcre2_set_match_limit(self->limits, MATCH_LIMIT);
  pcre2_set_heap_limit(self->limits, HEAP_LIMIT_KIB);
  return CK_OK;
}

ck_status ck_expression_new(ck_expression **out, const char *text, ck_error *err) {
  *out = NULL;
  ck_expression *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = compile(self, text, err);
  int empty = status == CK_OK
                  ? pcre2_match(self->code, (PCRE2_SPTR) "", 0, 0, 0, self->match, self->limits)
                  : 0;
  if (status == CK_OK && empty >= 0)
    status = ck_error_set(err, CK_E_USAGE,
                          "the pattern matches an empty text: write what a secret must have");
  if (status != CK_OK) {
    ck_expression_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

static ck_status take(ck_expression *self, ck_redactor *to, ck_bytes match, ck_error *err) {
  size_t before = to->known.count;
  if (ck_redact_is_masked(match)) return CK_OK;
  ck_status status = ck_redactor_add_secret(to, "scrubbed", match, err);
  if (status == CK_E_RANGE)
    return ck_error_set(err, status,
                        "the pattern matches a text of %zu bytes: a secret has %d to %d, without "
                        "the blanks around it",
                        match.len, CK_SECRET_MIN, CK_SECRET_MAX);
  self->count += to->known.count - before;
  if (status == CK_OK && self->count > CK_EXPRESSION_SECRETS)
    status = ck_error_set(err, CK_E_RANGE,
                          "the pattern matches more than %d different texts: narrow it down",
                          CK_EXPRESSION_SECRETS);
  return status;
}

static ck_status check(int result, ck_error *err) {
  if (result >= 0 || result == PCRE2_ERROR_NOMATCH) return CK_OK;
  if (result == PCRE2_ERROR_NOMEMORY) return ck_error_no_memory(err);
  return ck_error_set(err, CK_E_LIMIT,
                      "the pattern takes too long on a stored text: make it simpler");
}

ck_status ck_expression_learn(ck_expression *self, ck_redactor *to, ck_bytes text, ck_error *err) {
  ck_status status = CK_OK;
  const PCRE2_SIZE *span = pcre2_get_ovector_pointer(self->match);
  for (size_t at = 0; at < text.len && status == CK_OK;) {
    int result = pcre2_match(self->code, (PCRE2_SPTR)text.data, text.len, at, PCRE2_NOTEMPTY,
                             self->match, self->limits);
    status = check(result, err);
    if (status != CK_OK || result < 0) break;
    size_t group = result > 1 && span[2] != PCRE2_UNSET ? 2 : 0;
    status =
        take(self, to, (ck_bytes){text.data + span[group], span[group + 1] - span[group]}, err);
    at = span[1] > at ? span[1] : at + 1;
  }
  return status;
}

ck_status ck_expression_learn_json(ck_expression *self, ck_redactor *to, ck_bytes json,
                                   ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  ck_json_type type = ck_json_type_of(json);
  if (type == CK_JSON_STRING) {
    ck_json_read_string(&text, json);
    status = ck_buffer_check(&text, err);
    if (status == CK_OK) status = ck_expression_learn(self, to, ck_buffer_bytes(&text), err);
    if (text.data) explicit_bzero(text.data, text.cap);
    ck_buffer_clear(&text);
    return status;
  }
  if (type == CK_JSON_NUMBER) return ck_expression_learn(self, to, json, err);
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) return CK_OK;
  for (ck_json_iterator it = ck_json_iterate(json); status == CK_OK && ck_json_next(&it);)
    status = ck_expression_learn_json(self, to, it.value, err);
  return status;
}

size_t ck_expression_count(const ck_expression *self) { return self->count; }
