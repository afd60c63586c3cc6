/* price.c - the shipped prices, and the cost of calls. */
#include "core/effect/model/price.h"

#include <string.h>

/* X(model, input, output, cache read, cache write, most tokens of an answer): list prices of late
 * 2025, in thousandths of a dollar per million tokens. A profile's `price` overrides them. */
/* clang-format off */
#define PRICE_TABLE(X) \
  X("gpt-4o", 2500, 10000, 1250, 2500, 16384) \
  X("gpt-4o-mini", 150, 600, 75, 150, 16384) \
  X("gpt-4.1", 2000, 8000, 500, 2000, 32768) \
  X("gpt-4.1-mini", 400, 1600, 100, 400, 32768) \
  X("gpt-4.1-nano", 100, 400, 25, 100, 32768) \
  X("gpt-5", 1250, 10000, 125, 1250, 128000) \
  X("gpt-5-mini", 250, 2000, 25, 250, 128000) \
  X("gpt-5-nano", 50, 400, 5, 50, 128000) \
  X("o3", 2000, 8000, 500, 2000, 100000) \
  X("o4-mini", 1100, 4400, 275, 1100, 100000) \
  X("claude-3-5-haiku", 800, 4000, 80, 1000, 8192) \
  X("claude-3-7-sonnet", 3000, 15000, 300, 3750, 128000) \
  X("claude-haiku-4-5", 1000, 5000, 100, 1250, 64000) \
  X("claude-sonnet-4", 3000, 15000, 300, 3750, 64000) \
  X("claude-sonnet-4-5", 3000, 15000, 300, 3750, 64000) \
  X("claude-opus-4", 15000, 75000, 1500, 18750, 32000) \
  X("claude-opus-4-1", 15000, 75000, 1500, 18750, 32000) \
  X("claude-opus-4-5", 5000, 25000, 500, 6250, 64000)
/* clang-format on */

enum { MICROS_OF_ONE = 1000 }; /* a thousandth of a dollar */
static const int64_t million = 1000000;

static const struct {
  const char *model;
  int64_t input, output, cache_read, cache_write, output_max;
} table[] = {
#define X(model, input, output, cache_read, cache_write, output_max) \
  {model, input, output, cache_read, cache_write, output_max},
    PRICE_TABLE(X)
#undef X
};

/* `shape` has a '0' for each digit. */
static bool has_shape(const char *text, const char *shape) {
  for (; *shape; text++, shape++) {
    if (*shape == '0' ? *text < '0' || *text > '9' : *text != *shape) return false;
  }
  return !*text;
}

/* "gpt-4o-2024-08-06" is a gpt-4o; "gpt-4o-audio-preview" is not, and "claude-opus-4-5-20251101" is
 * no claude-opus-4. */
static bool is_model(const char *given, const char *known) {
  size_t len = strlen(known);
  if (strncmp(given, known, len) != 0) return false;
  const char *rest = given + len;
  return !*rest || strcmp(rest, "-latest") == 0 || has_shape(rest, "-00000000") ||
         has_shape(rest, "-0000-00-00");
}

static int64_t or_shipped(int64_t given, int64_t shipped) {
  return given >= 0 ? given : shipped * MICROS_OF_ONE;
}

ck_model_price ck_price_find(int64_t *output_max, const char *model, const ck_model_price *given) {
  *output_max = -1;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (!is_model(model, table[i].model)) continue;
    *output_max = table[i].output_max;
    return (ck_model_price){or_shipped(given->input, table[i].input),
                            or_shipped(given->output, table[i].output),
                            or_shipped(given->cache_read, table[i].cache_read),
                            or_shipped(given->cache_write, table[i].cache_write)};
  }
  return *given;
}

static int64_t clamp(int64_t tokens) {
  return tokens < 0 ? 0 : tokens < CK_USAGE_TOKENS_MAX ? tokens : CK_USAGE_TOKENS_MAX;
}

/* In millionths of a micro-dollar: 10^12 tokens at 10^9 a million are more than 64 bits hold. */
static __int128 part(int64_t tokens, int64_t price) { return (__int128)clamp(tokens) * price; }

static int64_t round_up(__int128 sum) {
  __int128 micros = (sum + million - 1) / million;
  return micros < INT64_MAX ? (int64_t)micros : INT64_MAX;
}

int64_t ck_price_cost(const ck_model_price *price, const ck_usage *usage) {
  if (!usage->known || price->input < 0 || price->output < 0) return -1;
  int64_t read = price->cache_read >= 0 ? price->cache_read : price->input;
  int64_t write = price->cache_write >= 0 ? price->cache_write : price->input;
  return round_up(part(usage->input, price->input) + part(usage->cache_read, read) +
                  part(usage->cache_write, write) + part(usage->cache_write_long, write) * 8 / 5 +
                  part(usage->output, price->output));
}

int64_t ck_price_bound(const ck_model_price *price, int64_t input, int64_t output, bool caches) {
  if (price->input < 0 || price->output < 0 || output < 0) return -1;
  int64_t write = price->cache_write >= 0 ? price->cache_write : price->input;
  __int128 plain = part(input, price->input), cached = part(input, write) * 8 / 5;
  return round_up((caches && cached > plain ? cached : plain) + part(output, price->output));
}

void ck_usage_add(ck_usage *to, const ck_usage *more) {
  to->input += clamp(more->input);
  to->cache_read += clamp(more->cache_read);
  to->cache_write += clamp(more->cache_write);
  to->cache_write_long += clamp(more->cache_write_long);
  to->output += clamp(more->output);
  to->known |= more->known;
}
