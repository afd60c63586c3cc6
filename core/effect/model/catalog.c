/* catalog.c - the shipped table of models. What is not certain is not in it: a profile says it. */
#include "core/effect/model/catalog.h"

#define OPENAI "https://openai.com/api/pricing, https://platform.openai.com/docs/models"
#define CLAUDE                                            \
  "https://docs.claude.com/en/docs/about-claude/pricing," \
  " https://docs.claude.com/en/docs/about-claude/models"

/* Lists that follow the providers' pages; a row is of both, which say the same. */
#define LISTS                                                      \
  "https://github.com/pydantic/genai-prices at 47df840a, checked " \
  "against https://github.com/simonw/llm-prices at 723ef0b"

/* What it takes: images; both images and files. */
#define I CK_MODEL_TAKES_IMAGES
#define B (CK_MODEL_TAKES_IMAGES | CK_MODEL_TAKES_FILES)

/* X(model, context, most tokens of an answer, what it takes, prices of input, output, cache reads
 * and cache writes in micro-dollars per million tokens, date, source): without beta headers,
 * discounts of batches and service tiers, whose prices are others; of text and images, not of
 * sound. A cache write is one for minutes; -1: no source says. */
/* clang-format off */
#define CATALOG(X) \
  X("gpt-4o-2024-05-13", 128000, 4096, I, 5000000, 15000000, 5000000, 5000000, "2025-11", OPENAI) \
  X("gpt-4o", 128000, 16384, B, 2500000, 10000000, 1250000, 2500000, "2025-11", OPENAI) \
  X("gpt-4o-mini", 128000, 16384, B, 150000, 600000, 75000, 150000, "2025-11", OPENAI) \
  X("gpt-4.1", 1047576, 32768, B, 2000000, 8000000, 500000, 2000000, "2025-11", OPENAI) \
  X("gpt-4.1-mini", 1047576, 32768, B, 400000, 1600000, 100000, 400000, "2025-11", OPENAI) \
  X("gpt-4.1-nano", 1047576, 32768, B, 100000, 400000, 25000, 100000, "2025-11", OPENAI) \
  X("gpt-5", 400000, 128000, B, 1250000, 10000000, 125000, 1250000, "2025-11", OPENAI) \
  X("gpt-5-mini", 400000, 128000, B, 250000, 2000000, 25000, 250000, "2025-11", OPENAI) \
  X("gpt-5-nano", 400000, 128000, B, 50000, 400000, 5000, 50000, "2025-11", OPENAI) \
  X("o3", 200000, 100000, B, 2000000, 8000000, 500000, 2000000, "2025-11", OPENAI) \
  X("o4-mini", 200000, 100000, B, 1100000, 4400000, 275000, 1100000, "2025-11", OPENAI) \
  X("claude-3-5-haiku", 200000, 8192, I, 800000, 4000000, 80000, 1000000, "2025-11", CLAUDE) \
  X("claude-3-7-sonnet", 200000, 64000, B, 3000000, 15000000, 300000, 3750000, "2025-11", CLAUDE) \
  X("claude-haiku-4-5", 200000, 64000, B, 1000000, 5000000, 100000, 1250000, "2025-11", CLAUDE) \
  X("claude-sonnet-4", 200000, 64000, B, 3000000, 15000000, 300000, 3750000, "2025-11", CLAUDE) \
  X("claude-sonnet-4-5", 200000, 64000, B, 3000000, 15000000, 300000, 3750000, "2025-11", CLAUDE) \
  X("claude-opus-4", 200000, 32000, B, 15000000, 75000000, 1500000, 18750000, "2025-11", CLAUDE) \
  X("claude-opus-4-1", 200000, 32000, B, 15000000, 75000000, 1500000, 18750000, "2025-11", CLAUDE) \
  X("claude-opus-4-5", 200000, 64000, B, 5000000, 25000000, 500000, 6250000, "2025-11", CLAUDE) \
  X("gpt-5-pro", -1, -1, 0, 15000000, 120000000, -1, -1, "2025-11-13", LISTS) \
  X("gpt-5.1", -1, -1, 0, 1250000, 10000000, 125000, -1, "2025-11-13", LISTS) \
  X("gpt-5.1-codex-mini", -1, -1, 0, 250000, 2000000, 25000, -1, "2025-11-13", LISTS) \
  X("gpt-5.2", -1, -1, 0, 1750000, 14000000, 175000, -1, "2025-12-11", LISTS) \
  X("gpt-5.2-pro", -1, -1, 0, 21000000, 168000000, -1, -1, "2025-12-11", LISTS) \
  X("gpt-5.4", -1, -1, 0, 2500000, 15000000, 250000, -1, "2026-03-06", LISTS) \
  X("gpt-5.4-pro", -1, -1, 0, 30000000, 180000000, -1, -1, "2026-03-06", LISTS) \
  X("gpt-5.4-mini", -1, -1, 0, 750000, 4500000, 75000, -1, "2026-03-18", LISTS) \
  X("gpt-5.4-nano", -1, -1, 0, 200000, 1250000, 20000, -1, "2026-03-18", LISTS) \
  X("o3-mini", -1, -1, 0, 1100000, 4400000, 550000, -1, "2025-07-04", LISTS) \
  X("claude-opus-4-6", -1, -1, 0, 5000000, 25000000, 500000, 6250000, "2026-07-29", LISTS) \
  X("claude-opus-4-7", -1, -1, 0, 5000000, 25000000, 500000, 6250000, "2026-07-29", LISTS) \
  X("claude-opus-4-8", -1, -1, 0, 5000000, 25000000, 500000, 6250000, "2026-07-29", LISTS) \
  X("claude-sonnet-5", -1, -1, 0, 3000000, 15000000, 300000, 3750000, "2026-07-29", LISTS) \
  X("claude-fable-5", -1, -1, 0, 10000000, 50000000, 1000000, 12500000, "2026-07-29", LISTS) \
  X("gemini-2.0-flash", -1, -1, 0, 100000, 400000, 25000, -1, "2025-07-04", LISTS) \
  X("gemini-2.0-flash-lite", -1, -1, 0, 75000, 300000, -1, -1, "2025-07-04", LISTS) \
  X("gemini-2.5-flash", -1, -1, 0, 300000, 2500000, 30000, -1, "2025-10-31", LISTS) \
  X("gemini-2.5-flash-lite", -1, -1, 0, 100000, 400000, 10000, -1, "2025-10-31", LISTS) \
  X("gemini-2.5-pro", -1, -1, 0, 1250000, 10000000, 125000, -1, "2025-10-31", LISTS) \
  X("gemini-3-pro-preview", -1, -1, 0, 2000000, 12000000, 200000, -1, "2025-11-18", LISTS) \
  X("gemini-3.1-pro-preview", -1, -1, 0, 2000000, 12000000, 200000, -1, "2026-02-23", LISTS) \
  X("gemini-3-flash-preview", -1, -1, 0, 500000, 3000000, -1, -1, "2025-12-19", LISTS) \
  X("gemini-3.5-flash", -1, -1, 0, 1500000, 9000000, 150000, -1, "2026-05-19", LISTS) \
  X("gemini-3.5-flash-lite", -1, -1, 0, 300000, 2500000, 30000, -1, "2026-07-22", LISTS)

/* X(model, tokens of input above which a request is dearer, its prices, date, source): as above. Of
 * Claude it is one with the beta header for a million tokens. */
#define LONG(X) \
  X("claude-sonnet-4-5", 200000, 6000000, 22500000, 600000, 7500000, "2026-07-29", LISTS) \
  X("gemini-2.5-pro", 200000, 2500000, 15000000, 250000, -1, "2025-10-31", LISTS) \
  X("gemini-3-pro-preview", 200000, 4000000, 18000000, 400000, -1, "2025-11-18", LISTS) \
  X("gemini-3.1-pro-preview", 200000, 4000000, 18000000, 400000, -1, "2026-02-23", LISTS) \
  X("gpt-5.4", 272000, 5000000, 22500000, 500000, -1, "2026-03-06", LISTS) \
  X("gpt-5.4-pro", 272000, 60000000, 270000000, -1, -1, "2026-03-06", LISTS)
/* clang-format on */

static const ck_model_entry catalog[] = {
#define X(model, context, output_max, takes, input, output, read, write, date, source) \
  {model, context, output_max, takes, {input, output, read, write, {0}}, date, source},
    CATALOG(X)
#undef X
};

static const ck_long_entry dearer[] = {
#define X(model, above, input, output, read, write, date, source) \
  {model, {above, input, output, read, write}, date, source},
    LONG(X)
#undef X
};

const ck_model_entry *ck_catalog_find(const char *model) {
  for (size_t i = 0; i < sizeof catalog / sizeof *catalog; i++)
    if (ck_model_is_named(model, catalog[i].model)) return &catalog[i];
  return NULL;
}

const ck_long_entry *ck_catalog_find_long(const char *model) {
  for (size_t i = 0; i < sizeof dearer / sizeof *dearer; i++)
    if (ck_model_is_named(model, dearer[i].model)) return &dearer[i];
  return NULL;
}
