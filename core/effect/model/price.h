/* price.h - what tokens cost, in integer micro-dollars. */
#ifndef CK_EFFECT_MODEL_PRICE_H
#define CK_EFFECT_MODEL_PRICE_H

#include "core/model/profile_model.h"

/* More than a provider can mean. */
#define CK_USAGE_TOKENS_MAX INT64_C(1000000000000)

/* Tokens of one answer, as reported by the provider; `input` without those read from or written to
 * its cache. */
typedef struct ck_usage {
  int64_t input, cache_read, cache_write, cache_write_long, output;
  int64_t longest; /* of several answers: the input of the longest request; 0: of one */
  bool known;      /* the provider reported usage, input and output */
} ck_usage;

/* Of a model by the provider's name: the prices of `given`, else of the catalog; of a cache whose
 * price `given` lacks, though it has that of input, the dearer of that and of the catalog's; of
 * long requests likewise. A price unknown to both is -1. `*output_max`: the most tokens that one
 * answer can have; -1: not known there. */
ck_model_price ck_price_find(int64_t *output_max, const char *model, const ck_model_price *given);

/* Whether calls have a cost at these prices. */
bool ck_price_is_known(const ck_model_price *price);
/* Those of a request with so many tokens of input. */
ck_model_price ck_price_at(const ck_model_price *self, int64_t input);
/* Rounded up; -1 when the tokens or a needed price are not known. A cache without a price costs the
 * input's. A cache write for an hour costs 8/5 of one for minutes. */
int64_t ck_price_cost(const ck_model_price *price, const ck_usage *usage);
/* The most that a request of so many tokens can cost when its answer has so many; -1: not known.
 * `caches`: it may be written to a cache, for an hour. */
int64_t ck_price_bound(const ck_model_price *price, int64_t input, int64_t output, bool caches);

/* The most tokens of an answer that `micros` pays for, behind such a request; the price is known.
 */
int64_t ck_price_afford(const ck_model_price *price, int64_t micros, int64_t input, bool caches);

void ck_usage_add(ck_usage *to, const ck_usage *more);

#endif
