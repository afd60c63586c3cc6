/* model.h - the driver of model calls: OpenAI-compatible POST …/chat/completions, OpenAI's
 * POST …/responses, Anthropic's POST …/v1/messages and Gemini's POST …:generateContent.
 *
 * A request is {model: a name in the profile, tools?, options…?}; every other member, and the
 * profile's own options, become members of the provider's request. The conversation is sent in the
 * provider's shape, whichever provider answered before: assistant messages of the same API go back
 * as received; those of another API as text and calls, without thinking. An answer's message is
 * kept as the bytes received; a streamed message is assembled from its parts, its strings byte for
 * byte.
 *
 * Temporary failures are retried (core/effect/http/retry.h), also a stream that was cut off: no
 * part of an incomplete answer is used. A whole one is taken although its connection ended early:
 * it was paid for. An answer that ends before its end has `cut` in its outcome. Each retry is an
 * update {retry, wait_ms, why}. What an answer states of its tokens counts before it is known
 * whether it is one. An attempt that was sent, and of which nothing tells what it cost, counts at
 * effect.reserve_micros, an answer that was taken among them: `reserved_micros` of the outcome.
 *
 * A refusal (`message.refusal`, parts of type "refusal", stop_reason "refusal", an answer or a
 * prompt that the provider blocks) is an answer that was paid for: OK, with its words in
 * `refusal`. stop_reason "pause_turn" is no end: OK with `goes_on`, and the conversation, sent as
 * it then is, goes on.
 *
 * Outcomes are OK; UNKNOWN with CK_E_UNAVAILABLE: an attempt that costs something has failed, the
 * wait is over, and the model's `retries` allow another one; or FAILED with
 *   CK_E_CREDENTIALS   401, 403
 *   CK_E_REQUEST       any other 4xx, redirects
 *   CK_E_CONTEXT       longer than the model takes
 *   CK_E_REFUSAL       the provider's filter does not let the conversation through
 *   CK_E_UNAVAILABLE   everything else, in one line
 * CK_E_SECRET_MISSING, CK_E_USAGE (no such model; it does not take an image or a file of the
 * conversation), CK_E_NOT_FOUND and CK_E_CORRUPT (of these) and CK_E_UNSUPPORTED (no libcurl) come
 * from `start` itself. */
#ifndef CK_EFFECT_MODEL_MODEL_H
#define CK_EFFECT_MODEL_MODEL_H

#include "core/base/clock.h"
#include "core/effect/loop.h"
#include "core/model/driver.h"
#include "core/model/media_form.h"
#include "core/model/profile.h"

enum { CK_MODEL_ANSWER_MAX = 64 << 20 };

/* All borrowed for the driver's life; zero or NULL in an optional member means what its comment
 * says. */
typedef struct ck_model_options {
  ck_loop *loop;
  const ck_profile *profile; /* its models, and the references of its secrets */
  /* Reads a secret by its reference when a request is made; wiped after. */
  ck_status (*read_secret)(ck_buffer *out, const char *ref, ck_error *err);
  ck_media_source media; /* reads what messages refer to; zero: nothing is kept */
  /* With the effect's key and attempt it makes the Idempotency-Key: unique to the session, the same
   * after a resume. */
  const char *salt;
  size_t answer_max;        /* bytes of an answer after decompression; 0: CK_MODEL_ANSWER_MAX */
  int64_t retry_base_ms;    /* 0: CK_RETRY_BASE_MS */
  uint64_t (*random)(void); /* for the jitter; NULL: the system's */
  ck_clock clock;           /* zero: the system's */
  const char *library;      /* libcurl; NULL: from its usual place */
} ck_model_options;

/* A driver named "model"; serves every model effect. `reserve` counts each byte of the request, of
 * the profile's options and of each message as a token, with 16 for each message and 2,048 for what
 * the provider adds, what an image can come to at most, and the most tokens that the answer may
 * have; -1 where a price or that limit is not known. */
CK_CHECKED ck_status ck_model_driver_new(ck_effect_driver **out, const ck_model_options *options,
                                         ck_error *err);

#endif
