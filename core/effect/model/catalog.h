/* catalog.h - what is known of models without a profile's word: their prices, and how long requests
 * and answers may be. */
#ifndef CK_EFFECT_MODEL_CATALOG_H
#define CK_EFFECT_MODEL_CATALOG_H

#include "core/model/profile_model.h"

/* One model, by the provider's name. */
typedef struct ck_model_entry {
  const char *model;
  int64_t context;    /* most tokens of a request with its answer; -1: no source says */
  int64_t output_max; /* most tokens of an answer; -1: the same */
  int takes;          /* bits of CK_MODEL_TAKES_TABLE */
  ck_model_price price;
  const char *date; /* "2025-11", "2026-07-29": when the source said so */
  const char *source;
} ck_model_entry;

/* The entry of that name; a date or "-latest" may stand behind it. NULL: there is none, and the
 * profile must say what is needed. */
const ck_model_entry *ck_catalog_find(const char *model);

/* What its long requests cost. */
typedef struct ck_long_entry {
  const char *model;
  ck_long_price price;
  const char *date, *source;
} ck_long_entry;

/* NULL: no source says that they are dearer. */
const ck_long_entry *ck_catalog_find_long(const char *model);

#endif
