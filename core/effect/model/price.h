/* price.h - what tokens cost, in integer micro-dollars. */
#ifndef CK_EFFECT_MODEL_PRICE_H
#define CK_EFFECT_MODEL_PRICE_H

#include "core/model/profile_model.h"

/* Tokens of one answer, as the provider told; `input` without those read from or written to its
 * cache. */
typedef struct ck_usage {
  int64_t input, cache_read, cache_write, cache_write_long, output;
  bool known; /* the provider told */
} ck_usage;

/* Of a model by the provider's name: what `given` says, else the table, which also takes the name
 * with a date or "-latest" behind it. What neither knows is -1. `*output_max`: the most tokens that
 * one answer can have; -1: not known. */
ck_model_price ck_price_find(int64_t *output_max, const char *model, const ck_model_price *given);

/* Rounded up; -1 when the tokens or a price that they need are not known. A cache's price that is
 * not known is that of the input. Writing for an hour costs 8/5 of writing for minutes. */
int64_t ck_price_cost(const ck_model_price *price, const ck_usage *usage);
/* The most that a request of so many tokens can cost when it is answered with so many; -1.
 * `caches`: it may be written to a cache, for an hour. */
int64_t ck_price_bound(const ck_model_price *price, int64_t input, int64_t output, bool caches);

void ck_usage_add(ck_usage *to, const ck_usage *more);

#endif
