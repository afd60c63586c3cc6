/* price.c - the cost of calls, and what an amount of money pays for. */
#include "core/effect/model/price.h"

#include "core/effect/model/catalog.h"

static const int64_t million = 1000000;

static int64_t or_shipped(int64_t given, int64_t shipped) { return given >= 0 ? given : shipped; }

/* A cache's list price is for who pays the list price of input, too; who says what input costs him,
 * and not what its cache does, is not taken to pay less there. */
static int64_t of_cache(int64_t given, int64_t input, int64_t shipped) {
  if (given >= 0) return given;
  return input > shipped ? input : shipped;
}

static int64_t dearer(int64_t a, int64_t b) { return a > b ? a : b; }

/* Of long requests nobody pays less than the list says, but who says otherwise of just them. */
static ck_long_price find_long(const char *model, const ck_model_price *given) {
  const ck_long_entry *known = ck_catalog_find_long(model);
  if (given->longer.above >= 0 || !known) return given->longer;
  ck_long_price made = known->price;
  if (given->input < 0) return made;
  made.input = dearer(given->input, made.input);
  made.output = dearer(given->output, made.output);
  made.cache_read = dearer(of_cache(given->cache_read, made.input, 0), made.cache_read);
  made.cache_write = dearer(of_cache(given->cache_write, made.input, 0), made.cache_write);
  return made;
}

ck_model_price ck_price_find(int64_t *output_max, const char *model, const ck_model_price *given) {
  const ck_model_entry *known = ck_catalog_find(model);
  *output_max = known ? known->output_max : -1;
  if (!known) return *given;
  return (ck_model_price){or_shipped(given->input, known->price.input),
                          or_shipped(given->output, known->price.output),
                          of_cache(given->cache_read, given->input, known->price.cache_read),
                          of_cache(given->cache_write, given->input, known->price.cache_write),
                          find_long(model, given)};
}

ck_model_price ck_price_at(const ck_model_price *self, int64_t input) {
  const ck_long_price *of = &self->longer;
  if (of->above <= 0 || input <= of->above) return *self;
  return (ck_model_price){.input = of->input,
                          .output = of->output,
                          .cache_read = of->cache_read,
                          .cache_write = of->cache_write};
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

bool ck_price_is_known(const ck_model_price *price) {
  return price->input >= 0 && price->output >= 0;
}

/* All that was sent, wherever the provider had it from. */
static int64_t input_of(const ck_usage *usage) {
  if (usage->longest > 0) return usage->longest;
  return clamp(usage->input) + clamp(usage->cache_read) + clamp(usage->cache_write) +
         clamp(usage->cache_write_long);
}

int64_t ck_price_cost(const ck_model_price *price, const ck_usage *usage) {
  const ck_model_price at = ck_price_at(price, input_of(usage));
  if (!usage->known || !ck_price_is_known(price)) return -1;
  int64_t read = at.cache_read >= 0 ? at.cache_read : at.input;
  int64_t write = at.cache_write >= 0 ? at.cache_write : at.input;
  return round_up(part(usage->input, at.input) + part(usage->cache_read, read) +
                  part(usage->cache_write, write) + part(usage->cache_write_long, write) * 8 / 5 +
                  part(usage->output, at.output));
}

/* The most that the input can cost, in millionths of a micro-dollar. */
static __int128 input_part(const ck_model_price *price, int64_t input, bool caches) {
  int64_t write = price->cache_write >= 0 ? price->cache_write : price->input;
  __int128 plain = part(input, price->input), cached = part(input, write) * 8 / 5;
  return caches && cached > plain ? cached : plain;
}

/* A request that may be long may be a short one, too. */
int64_t ck_price_bound(const ck_model_price *price, int64_t input, int64_t output, bool caches) {
  const ck_model_price at = ck_price_at(price, input);
  if (!ck_price_is_known(price) || output < 0) return -1;
  return dearer(round_up(input_part(price, input, caches) + part(output, price->output)),
                round_up(input_part(&at, input, caches) + part(output, at.output)));
}

static int64_t afford(const ck_model_price *price, int64_t micros, int64_t input, bool caches) {
  __int128 left = (__int128)micros * million - input_part(price, input, caches);
  if (left < 0) return 0;
  if (price->output == 0) return CK_USAGE_TOKENS_MAX;
  __int128 tokens = left / price->output;
  return tokens < CK_USAGE_TOKENS_MAX ? (int64_t)tokens : CK_USAGE_TOKENS_MAX;
}

int64_t ck_price_afford(const ck_model_price *price, int64_t micros, int64_t input, bool caches) {
  const ck_model_price at = ck_price_at(price, input);
  int64_t one = afford(price, micros, input, caches), other = afford(&at, micros, input, caches);
  return one < other ? one : other;
}

void ck_usage_add(ck_usage *to, const ck_usage *more) {
  to->longest = dearer(to->longest, input_of(more));
  to->input += clamp(more->input);
  to->cache_read += clamp(more->cache_read);
  to->cache_write += clamp(more->cache_write);
  to->cache_write_long += clamp(more->cache_write_long);
  to->output += clamp(more->output);
  to->known |= more->known;
}
