/* catalog.c - the shipped table of models. What is not certain is not in it: a profile says it. */
#include "core/effect/model/catalog.h"

#include <string.h>

#define OPENAI "https://openai.com/api/pricing, https://platform.openai.com/docs/models"
#define CLAUDE                                            \
  "https://docs.claude.com/en/docs/about-claude/pricing," \
  " https://docs.claude.com/en/docs/about-claude/models"

/* What it takes: images; both images and files. */
#define I CK_MODEL_TAKES_IMAGES
#define B (CK_MODEL_TAKES_IMAGES | CK_MODEL_TAKES_FILES)

/* X(model, context, most tokens of an answer, what it takes, prices of input, output, cache reads
 * and cache writes in micro-dollars per million tokens, date, source): without beta headers,
 * discounts of batches and service tiers, whose prices are others. A cache write is one for
 * minutes. */
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
  X("claude-opus-4-5", 200000, 64000, B, 5000000, 25000000, 500000, 6250000, "2025-11", CLAUDE)
/* clang-format on */

static const ck_model_entry catalog[] = {
#define X(model, context, output_max, takes, input, output, read, write, date, source) \
  {model, context, output_max, takes, {input, output, read, write}, date, source},
    CATALOG(X)
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

const ck_model_entry *ck_catalog_find(const char *model) {
  for (size_t i = 0; i < sizeof catalog / sizeof *catalog; i++)
    if (is_model(model, catalog[i].model)) return &catalog[i];
  return NULL;
}
