/* values.c - a hashed prefilter over the beginnings of tokens, and a pattern for each, compiled
 * when first needed. */
#include "core/redact/values.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "core/redact/values_table.h"

enum {
  BITS = 32768,
  CHAINS = 1024,
  MATCH_LIMIT = 200000,
  DEPTH_LIMIT = 1000,
  HEAP_LIMIT_KIB = 1024,
  DISTINCT_MIN = 6
};

typedef struct row {
  const char *kind, *front, *pattern;
} row;
static const row rows[] = {
#define ROW(kind, front, pattern) {kind, front, pattern},
    CK_VALUE_TABLE(ROW)
#undef ROW
#define ROW(kind, front, body) {kind, front, CK_TOKEN(front, body)},
        CK_TOKEN_SERVICES(ROW) CK_TOKEN_SYSTEMS(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(sizeof rows / sizeof *rows <= CK_VALUES_MAX,
               "each row has a number of its own among the rules");

/* A beginning as one number, of its first bytes: nearly all that the bits let through stop here. */
typedef struct front {
  uint64_t word, mask;
  size_t len;
} front;

struct ck_values {
  uint64_t bits[BITS / 64];            /* of the first three bytes */
  uint64_t escapes[BITS / 64];         /* the same, and escapes that can hide a character */
  uint16_t chains[CHAINS], next[ROWS]; /* row + 1 */
  front fronts[ROWS];
  pcre2_code *codes[ROWS];
  pcre2_general_context *memory;
  pcre2_compile_context *compiling;
  pcre2_match_context *limits;
  pcre2_match_data *match;
};

static void *allocate(size_t size, void *unused) { return (void)unused, malloc(size); }
static void release(void *at, void *unused) { (void)unused, free(at); }

/* Of the three low bytes. The factor is one of many that were tried over 6 MB of English and of
 * programs: of what begins no token 0.2 to 0.6 % passes, where a usual one lets 1.3 % through. */
static unsigned hash_word(uint64_t word) {
  return ((uint32_t)(word & 0xffffff) * 0x51926023u) >> 17;
}

static unsigned hash(const char *at) {
  const unsigned char *b = (const unsigned char *)at;
  return hash_word(b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16);
}

static void mark(uint64_t *bits, const char *at) {
  unsigned h = hash(at);
  bits[h >> 6] |= 1ull << (h & 63);
}

static front make_front(const char *text) {
  front made = {.len = strlen(text)};
  size_t bytes = made.len < sizeof made.word ? made.len : sizeof made.word;
  memcpy(&made.word, text, bytes);
  memset(&made.mask, 0xff, bytes);
  return made;
}

static void fill(ck_values *self) {
  for (unsigned i = 0; i < ROWS; i++) {
    self->fronts[i] = make_front(rows[i].front);
    uint16_t *chain = &self->chains[hash(rows[i].front) % CHAINS];
    self->next[i] = *chain;
    *chain = (uint16_t)(i + 1);
    mark(self->bits, rows[i].front);
  }
  memcpy(self->escapes, self->bits, sizeof self->bits);
  mark(self->escapes, "\\u0");
  for (int c = 0; c < 256; c++) mark(self->escapes, (char[]){'\\', '/', (char)c});
}

ck_status ck_values_new(ck_values **out, ck_error *err) {
  *out = NULL;
  ck_values *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->memory = pcre2_general_context_create(allocate, release, NULL);
  if (self->memory) {
    self->compiling = pcre2_compile_context_create(self->memory);
    self->limits = pcre2_match_context_create(self->memory);
    self->match = pcre2_match_data_create(2, self->memory);
  }
  if (!self->compiling || !self->limits || !self->match) {
    ck_values_free(self);
    return ck_error_no_memory(err);
  }
  pcre2_set_match_limit(self->limits, MATCH_LIMIT);
  pcre2_set_depth_limit(self->limits, DEPTH_LIMIT);
  pcre2_set_heap_limit(self->limits, HEAP_LIMIT_KIB);
  fill(self);
  *out = self;
  return CK_OK;
}

void ck_values_free(ck_values *self) {
  if (!self) return;
  for (int i = 0; i < ROWS; i++) pcre2_code_free(self->codes[i]);
  pcre2_match_data_free(self->match);
  pcre2_match_context_free(self->limits);
  pcre2_compile_context_free(self->compiling);
  pcre2_general_context_free(self->memory);
  free(self);
}

const char *ck_values_kind(size_t rule) { return rule < ROWS ? rows[rule].kind : NULL; }
const char *ck_values_front(size_t rule) { return rule < ROWS ? rows[rule].front : NULL; }

/* Each pattern is matched at one position only, so PCRE2's start optimisations are off: they would
 * search the whole rest of the text for a required character each time. A failure of the JIT is
 * ignored, because the pattern works without it. */
static ck_status compile(ck_values *self, unsigned rule, ck_error *err) {
  int code;
  PCRE2_SIZE at;
  self->codes[rule] = pcre2_compile((PCRE2_SPTR)rows[rule].pattern, PCRE2_ZERO_TERMINATED,
                                    PCRE2_ANCHORED | PCRE2_NEVER_UTF | PCRE2_NO_START_OPTIMIZE,
                                    &code, &at, self->compiling);
  if (!self->codes[rule]) {
    if (code == PCRE2_ERROR_HEAP_FAILED || code == PCRE2_ERROR_NOMEMORY)
      return ck_error_no_memory(err);
    return ck_error_set(err, CK_E_FAILED, "the pattern of %s does not compile: error %d at %zu",
                        rows[rule].front, code, at);
  }
  pcre2_jit_compile(self->codes[rule], PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
  return CK_OK;
}

/* "xxxxxxxx" and the like stand for a token in documentation. */
static bool is_varied(ck_bytes text) {
  bool seen[256] = {false};
  int distinct = 0;
  for (size_t i = 0; i < text.len && distinct < DISTINCT_MIN; i++) {
    unsigned char c = (unsigned char)text.data[i];
    distinct += !seen[c];
    seen[c] = true;
  }
  return distinct >= DISTINCT_MIN;
}

/* Usual placeholders for a password in documentation. */
static bool is_example(ck_bytes text) {
  static const char *const words[] = {"password", "passwd",   "pass", "pwd", "secret",
                                      "token",    "PASSWORD", "PASS", "xxx", NULL};
  for (const char *const *w = words; *w; w++)
    if (ck_bytes_equal(text, ck_bytes_text(*w))) return true;
  return false;
}

typedef enum { MISS, HIT, PARTIAL } verdict;

static verdict judge(ck_value_hit *out, ck_values *self, unsigned rule, ck_bytes text, size_t at,
                     int result) {
  const PCRE2_SIZE *span = pcre2_get_ovector_pointer(self->match);
  if (result == PCRE2_ERROR_NOMATCH) return MISS;
  if (result == PCRE2_ERROR_PARTIAL) return PARTIAL;
  *out = (ck_value_hit){.start = at, .end = at, .rule = rule};
  if (result < 0) { /* over a limit: the run of characters is masked without a match */
    while (out->end < text.len && (unsigned char)text.data[out->end] > ' ') out->end++;
    return HIT;
  }
  size_t group = result > 1 && span[2] != PCRE2_UNSET ? 2 : 0;
  out->start = span[group];
  out->end = span[group + 1];
  ck_bytes token = {text.data + out->start, out->end - out->start};
  bool example = strstr(rows[rule].kind, "password") ? is_example(token) : !is_varied(token);
  return example ? MISS : HIT;
}

static ck_status try(verdict *out, ck_value_hit *hit, ck_values *self, unsigned rule, ck_bytes text,
                     size_t at, bool partial, ck_error *err) {
  *out = MISS;
  size_t len = self->fronts[rule].len, left = text.len - at;
  if (memcmp(text.data + at, rows[rule].front, len < left ? len : left) != 0) return CK_OK;
  if (len > left) {
    *out = partial ? PARTIAL : MISS;
    return CK_OK;
  }
  ck_status status = self->codes[rule] ? CK_OK : compile(self, rule, err);
  if (status != CK_OK) return status;
  int result = pcre2_match(self->codes[rule], (PCRE2_SPTR)text.data, text.len, at,
                           partial ? PCRE2_PARTIAL_HARD : 0, self->match, self->limits);
  if (result == PCRE2_ERROR_NOMEMORY) return ck_error_no_memory(err);
  *out = judge(hit, self, rule, text, at, result);
  return CK_OK;
}

static bool is_marked(const uint64_t *bits, unsigned h) { return bits[h >> 6] >> (h & 63) & 1; }

/* The first position at or after `at` whose three bytes are in `bits`; the length of the text:
 * none. All text that is written passes here, so eight bytes are loaded for six positions. */
static size_t next_suspect(const uint64_t *bits, ck_bytes text, size_t at) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (uint64_t word; at + 8 <= text.len; at += 6) {
    memcpy(&word, text.data + at, 8);
#pragma GCC unroll 6
    for (size_t i = 0; i < 6; i++)
      if (is_marked(bits, hash_word(word >> 8 * i))) return at + i;
  }
#endif
  for (; at + 3 <= text.len; at++)
    if (is_marked(bits, hash(text.data + at))) return at;
  return text.len;
}

/* Tries all rows whose beginning may be at `at`. */
static ck_status try_all(verdict *out, ck_value_hit *hit, ck_values *self, ck_bytes text, size_t at,
                         bool partial, ck_error *err) {
  *out = MISS;
  ck_status status = CK_OK;
  uint64_t word = 0, near_end = text.len - at < sizeof word;
  if (!near_end) memcpy(&word, text.data + at, sizeof word);
  for (unsigned i = self->chains[hash(text.data + at) % CHAINS];
       i > 0 && *out == MISS && status == CK_OK; i = self->next[i - 1]) {
    const front *of = &self->fronts[i - 1];
    if (near_end || (word & of->mask) == of->word)
      status = try(out, hit, self, i - 1, text, at, partial, err);
  }
  return status;
}

ck_status ck_values_next(ck_value_hit *out, bool *found, ck_values *self, ck_bytes text, size_t *at,
                         size_t *open, ck_error *err) {
  *found = false;
  ck_status status = CK_OK;
  if (open) *open = text.len;
  for (size_t i = *at; (i = next_suspect(self->bits, text, i)) < text.len && status == CK_OK; i++) {
    verdict v;
    status = try_all(&v, out, self, text, i, open != NULL, err);
    if (v == PARTIAL && open) {
      *open = i;
      break;
    }
    if (v != HIT || status != CK_OK) continue;
    *found = true;
    *at = out->end;
    return CK_OK;
  }
  *at = text.len;
  return status;
}

ck_status ck_values_find(ck_edits *out, ck_values *self, const ck_fingerprint_key *key,
                         ck_bytes text, uint32_t first_rule, size_t *open, ck_error *err) {
  ck_value_hit hit;
  bool found;
  size_t at = 0;
  ck_status status;
  while ((status = ck_values_next(&hit, &found, self, text, &at, open, err)) == CK_OK && found) {
    ck_bytes kind;
    if (ck_placeholder_around(&kind, text, hit.start)) continue;
    char placeholder[CK_PLACEHOLDER_SIZE];
    ck_placeholder_write(placeholder, key, rows[hit.rule].kind,
                         (ck_bytes){text.data + hit.start, hit.end - hit.start});
    ck_edits_append(out, hit.start, hit.end, ck_bytes_text(placeholder), first_rule + hit.rule);
  }
  return status == CK_OK ? ck_edits_check(out, err) : status;
}

/* Whether an escape stands for an ASCII character, of which the beginnings of tokens and the names
 * of members consist. */
static bool hides_character(ck_bytes json, size_t at) {
  if (json.data[at] != '\\') return false;
  if (json.data[at + 1] == '/') return true;
  return json.len - at > 4 && memcmp(json.data + at, "\\u00", 4) == 0 && json.data[at + 4] >= '2' &&
         json.data[at + 4] <= '7';
}

ck_status ck_values_suspect(bool *out, ck_values *self, ck_bytes json, ck_error *err) {
  *out = false;
  ck_status status = CK_OK;
  for (size_t i = 0; (i = next_suspect(self->escapes, json, i)) < json.len && status == CK_OK;
       i++) {
    *out = hides_character(json, i);
    verdict v = MISS;
    ck_value_hit hit;
    if (!*out) status = try_all(&v, &hit, self, json, i, false, err);
    if (v == HIT) *out = true;
    if (*out) break;
  }
  return status;
}
