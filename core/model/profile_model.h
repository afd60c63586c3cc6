/* profile_model.h - a profile's settings of one model; secrets only by name. */
#ifndef CK_MODEL_PROFILE_MODEL_H
#define CK_MODEL_PROFILE_MODEL_H

#include "core/model/value.h"

/* X(enumerator, name in a profile, default base URL, the max_tokens that is sent when nobody sets
 * any; 0: none). */
/* clang-format off */
#define CK_MODEL_API_TABLE(X) \
  X(CK_MODEL_OPENAI, "openai", "https://api.openai.com/v1", 0) /* and all compatible providers */ \
  X(CK_MODEL_ANTHROPIC, "anthropic", "https://api.anthropic.com", CK_MODEL_MAX_TOKENS) \
  X(CK_MODEL_RESPONSES, "responses", "https://api.openai.com/v1", 0) \
  X(CK_MODEL_GEMINI, "gemini", "https://generativelanguage.googleapis.com/v1beta", 0)
/* clang-format on */
typedef enum {
#define X(name, text, url, max_tokens) name,
  CK_MODEL_API_TABLE(X)
#undef X
      CK_MODEL_API_COUNT
} ck_model_api;
const char *ck_model_api_name(ck_model_api api);
const char *ck_model_api_url(ck_model_api api);
int64_t ck_model_api_max_tokens(ck_model_api api);
bool ck_model_api_of(ck_model_api *out, const char *name);

/* What a model takes beside text, in requests. X(bit, name in a profile). */
/* clang-format off */
#define CK_MODEL_TAKES_TABLE(X) \
  X(CK_MODEL_TAKES_IMAGES, 1, "image") \
  X(CK_MODEL_TAKES_FILES, 2, "file")
/* clang-format on */
enum {
#define X(name, bit, text) name = bit,
  CK_MODEL_TAKES_TABLE(X)
#undef X
};

/* Of a request with more tokens of input than `above`, those of its cache among them: all of its
 * tokens, and its answer's, cost this. `above`: 0: it costs what others do; -1: not said. */
typedef struct ck_long_price {
  int64_t above, input, output, cache_read, cache_write;
} ck_long_price;

/* Micro-dollars per million tokens; -1: not known. */
typedef struct ck_model_price {
  int64_t input, output, cache_read, cache_write;
  ck_long_price longer;
} ck_model_price;

/* Failures of a call after which another model may be asked. X(bit, name in a profile, status). */
/* clang-format off */
#define CK_MODEL_FAILS_TABLE(X) \
  X(1, "unavailable", CK_E_UNAVAILABLE) \
  X(2, "credentials", CK_E_CREDENTIALS) \
  X(4, "request", CK_E_REQUEST) \
  X(8, "context", CK_E_CONTEXT) \
  X(16, "refusal", CK_E_REFUSAL)
/* clang-format on */
/* The bit of a status; 0: none, the call fails of it for every model. */
unsigned ck_model_fails_bit(ck_status status);

typedef struct ck_profile_fallback {
  char *model; /* its name in the profile */
  unsigned on; /* bits of CK_MODEL_FAILS_TABLE */
} ck_profile_fallback;

typedef struct ck_profile_header {
  char *name;
  char *value; /* or, of a secret, its name */
  bool secret;
} ck_profile_header;

/* Texts are owned. NULL, or -1 for a number: not set. */
typedef struct ck_profile_model {
  char *name; /* "default" */
  ck_model_api api;
  bool has_api;
  char *base_url; /* http or https, without user */
  char *model;    /* the provider's name for it */
  char *key;      /* the name of the secret that authenticates; NULL: none */
  ck_profile_header *headers;
  size_t header_count;
  int stream;                         /* 0 or 1; -1: 1 */
  ck_value *max_tokens, *temperature; /* JSON numbers */
  char *max_tokens_name;              /* how the provider calls the first of them; NULL: not said */
  ck_value *options;                  /* JSON object: members of every request */
  int64_t timeout_ms, idle_timeout_ms, connect_timeout_ms;
  int64_t retries;
  ck_model_price price;
  int unmetered;      /* 1: it may be used under a budget without a price; 0; -1: 0 */
  int64_t context;    /* most tokens of a request with its answer */
  int64_t output_max; /* most tokens of an answer */
  int takes;          /* bits of CK_MODEL_TAKES_TABLE */
  /* of "anthropic": for how many seconds, 300 or 3600, the provider is asked to keep what the next
   * request begins with, too; 0: it is not asked */
  int cache_s;
  /* whom to ask instead, one after the other, when it or the one before has failed; theirs of their
   * own are not asked then */
  ck_profile_fallback *fallbacks;
  size_t fallback_count;
  /* for how long, once it has failed, the one that answered is asked first; 0: each call begins
   * with it; CK_MODEL_FOR_GOOD */
  int64_t fallback_for_ms;
} ck_profile_model;

#define CK_MODEL_FOR_GOOD INT64_MAX

/* Defaults where the profile sets nothing. */
enum {
  CK_MODEL_TIMEOUT_MS = 600000,      /* one attempt as a whole */
  CK_MODEL_IDLE_TIMEOUT_MS = 120000, /* between two bytes of a stream */
  CK_MODEL_CONNECT_TIMEOUT_MS = 15000,
  CK_MODEL_RETRIES = 4,
  /* of an answer: for Anthropic, which requires it; and where a limit is to hold for a model whose
   * maximum nobody states */
  CK_MODEL_MAX_TOKENS = 8192
};

/* All settings not set; copies `name`. */
CK_CHECKED ck_status ck_profile_model_init(ck_profile_model *self, const char *name, ck_error *err);
void ck_profile_model_clear(ck_profile_model *self);
/* Copies; replaces the header of that name, in any case. */
CK_CHECKED ck_status ck_profile_model_put_header(ck_profile_model *self,
                                                 const ck_profile_header *header, ck_error *err);

/* Appends one; copies. */
CK_CHECKED ck_status ck_profile_model_add_fallback(ck_profile_model *self, const char *model,
                                                   unsigned on, ck_error *err);
void ck_profile_model_clear_fallbacks(ck_profile_model *self);

/* Whether a provider means the model `known` by `given`: the same name, with a date or "-latest"
 * behind it. "gpt-4o-2024-08-06" is a gpt-4o; "gpt-4o-audio-preview" is not, and
 * "claude-opus-4-5-20251101" is no claude-opus-4. */
bool ck_model_is_named(const char *given, const char *known);

#endif
