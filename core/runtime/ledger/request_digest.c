/* request_digest.c - digests requests without fingerprints, and knows those of earlier versions. */
#include "core/runtime/ledger/request_digest.h"

#include <string.h>

#include "core/base/placeholder.h"
#include "core/model/conversation.h"

enum { MASKED = 'm', UNMASKED = 'u', SCRUBBED = 's', HEX_LEN = CK_REQUEST_DIGEST_SIZE - 2 };

void ck_request_digest(char out[CK_REQUEST_DIGEST_SIZE], const ck_effect *effect,
                       ck_bytes request) {
  ck_digester digester;
  ck_digester_init(&digester);
  bool masked = ck_placeholder_digest_field(&digester, request);
  if (effect->conversation && !ck_effect_is_aside(effect)) {
    ck_digest conversation = ck_conversation_digest(effect->conversation);
    ck_digester_update(&digester, conversation.bytes, sizeof conversation.bytes);
    masked |= ck_conversation_is_masked(effect->conversation);
  }
  ck_digest digest = ck_digester_final(&digester);
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &digest);
  out[0] = masked ? MASKED : UNMASKED;
  memcpy(out + 1, hex, HEX_LEN);
  out[1 + HEX_LEN] = 0;
}

static bool is_earlier(ck_bytes digest) {
  return digest.len == CK_REQUEST_DIGEST_SIZE - 1 && *digest.data != MASKED &&
         *digest.data != UNMASKED && *digest.data != SCRUBBED;
}

bool ck_request_digest_equal(ck_bytes a, ck_bytes b) {
  if (is_earlier(b)) {
    ck_bytes swapped = a;
    a = b;
    b = swapped;
  }
  if (!is_earlier(a) || b.len != a.len || *b.data != UNMASKED) return ck_bytes_equal(a, b);
  return memcmp(a.data, b.data + 1, HEX_LEN) == 0;
}

bool ck_request_digest_is_open(const char *digest, ck_bytes recorded) {
  return (*digest == MASKED && is_earlier(recorded)) ||
         (recorded.len == CK_REQUEST_DIGEST_SIZE - 1 && *recorded.data == SCRUBBED);
}

void ck_request_digest_scrub(char out[CK_REQUEST_DIGEST_SIZE], ck_bytes request) {
  ck_request_digest(out, &(ck_effect){.reserve_tokens = -1}, request);
  out[0] = SCRUBBED;
}

bool ck_request_digest_is_scrubbed(ck_bytes digest) {
  return digest.len == CK_REQUEST_DIGEST_SIZE - 1 && *digest.data == SCRUBBED;
}

bool ck_request_digest_is_of(const char *digest, const ck_effect *effect, const char *recorded,
                             const ck_value *intent) {
  char again[CK_REQUEST_DIGEST_SIZE];
  ck_bytes before = ck_bytes_text(recorded);
  if (ck_request_digest_equal(ck_bytes_text(digest), before)) return true;
  if (!ck_request_digest_is_open(digest, before) || !intent) return false;
  ck_request_digest(again, effect, ck_json_get(ck_value_bytes(intent), "request"));
  return strcmp(again, digest) == 0;
}
