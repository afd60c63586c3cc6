/* redact.h - redaction of every item before it is written to the store, a log, a terminal or an
 * export.
 *
 * Three kinds of rules find what must not be written: known secrets (values that ckrun itself
 * resolved, in every encoding), names of members and keys, and shapes of tokens. What is found
 * becomes a JSON string (or a part of one)
 *
 *   [redacted:<kind>:<12 hex>]
 *
 * which no rule ever changes again; the hex is a fingerprint under the key of the store, so that
 * the same secret has the same placeholder within it, and zeros in a store without a key.
 * Everything else stays byte for byte. Redacting twice changes nothing more. Values of ids, hashes
 * and signatures, and signed thinking blocks, are never edited inside: one that holds a known
 * secret is replaced as a whole.
 *
 * Not thread-safe: one redactor per thread. */
#ifndef CK_REDACT_REDACT_H
#define CK_REDACT_REDACT_H

#include "core/model/content.h"
#include "core/model/verdict.h"
#include "core/model/state.h"

typedef struct ck_redactor ck_redactor;

/* The destination of an item. State, events and requests: all rules. The others: known secrets and
 * shapes. */
typedef enum {
  CK_SINK_STATE,
  CK_SINK_EVENT,
  CK_SINK_REQUEST,
  CK_SINK_LOG,
  CK_SINK_TERMINAL,
  CK_SINK_EXPORT
} ck_sink;

/* Begins with the rules for names and shapes, no known secret, and no fingerprints. */
CK_CHECKED ck_status ck_redactor_new(ck_redactor **out, ck_error *err);
/* Begins without any rule: only known secrets that are added, and what stands under one of `names`
 * (NULL: none), are found, the latter whatever it is. For texts that were redacted before. */
CK_CHECKED ck_status ck_redactor_new_scrubber(ck_redactor **out, const char *const *names,
                                              ck_error *err);
void ck_redactor_free(ck_redactor *self);

/* Adds a known secret: from now on its bytes are found raw, JSON-escaped (also nested),
 * percent-encoded, as \xHH, octal and HTML entities, in base64 and base64url at every alignment,
 * either in base64 again, in base32, in hex with and without colons, and with line breaks,
 * characters without width or colours of a terminal inside; where a text was cut off, half of it is
 * enough. Of a text of several lines each long line is found by itself, too. White space around the
 * secret is ignored. `name` becomes the placeholder's kind. The bytes are copied, and wiped when
 * freed. CK_E_RANGE: shorter than CK_SECRET_MIN bytes, so that it cannot be distinguished from
 * ordinary text, or longer than CK_SECRET_MAX. */
enum { CK_SECRET_MIN = 4, CK_SECRET_MAX = 65536 };
CK_CHECKED ck_status ck_redactor_add_secret(ck_redactor *self, const char *name, ck_bytes secret,
                                            ck_error *err);
/* Adds all known secrets of `from`. */
CK_CHECKED ck_status ck_redactor_copy_secrets(ck_redactor *self, const ck_redactor *from,
                                              ck_error *err);
/* Names beside the built-in ones, NULL-terminated, such as a profile's exclude_memory_keys; they
 * replace those set before. Spelling does not matter (api_key, apiKey, API-Key). A state key of
 * that name is dropped whole, a member masked. */
CK_CHECKED ck_status ck_redactor_set_keys(ck_redactor *self, const char *const *names,
                                          ck_error *err);
/* Of ck_store_fingerprint_key, 32 bytes, copied; NULL: placeholders have no fingerprint.
 * Fingerprints of two processes agree only under the same key. */
void ck_redactor_set_fingerprint_key(ck_redactor *self, const uint8_t *key);

/* What a policy decides about one item after the rules. Owned by who asked. */
typedef struct ck_redact_answer {
  ck_redact_verdict verdict;
  char *ref;       /* REF: "env:NAME" or "file:PATH", malloc'd */
  ck_value *value; /* REPLACE: what it was asked about, with other texts; the rest as it was */
} ck_redact_answer;
/* `value` is the content (see content.h) of what the rules left; an item without any is not asked
 * about. */
typedef ck_status (*ck_redact_hook)(ck_redact_answer *out, void *self, const char *key,
                                    const ck_value *value, ck_error *err);
/* The hook is called for state and events; borrowed; NULL removes it. Structure stays: where an
 * item has some, drop and mask both mask the texts of its content. The rules apply to texts that it
 * gives, too. */
void ck_redactor_set_hook(ck_redactor *self, ck_redact_hook hook, void *hook_self);

/* `*out` is the redacted form of `value` under `key` (NULL for events): the same value shared when
 * nothing was found, NULL when it must be dropped. Owned by the caller. On any failure nothing may
 * be kept; the hook's own failure is passed on (drop the item, pause the session). */
CK_CHECKED ck_status ck_redactor_apply(ck_value **out, ck_redactor *self, ck_sink sink,
                                       const char *key, const ck_value *value, ck_error *err);
/* The body of an event of that kind, for CK_SINK_EVENT. */
CK_CHECKED ck_status ck_redactor_apply_event(ck_value **out, ck_redactor *self, ck_event_kind kind,
                                             const ck_value *body, ck_error *err);
/* The same without asking the hook, which has failed: its content is dropped. */
CK_CHECKED ck_status ck_redactor_drop_event(ck_value **out, ck_redactor *self, ck_event_kind kind,
                                            const ck_value *body, ck_error *err);
/* The same for plain text, such as an error; appends to `out`. Rules for names apply to members of
 * JSON in the text. */
CK_CHECKED ck_status ck_redactor_apply_text(ck_buffer *out, ck_redactor *self, ck_sink sink,
                                            ck_bytes text, ck_error *err);

/* True when the value contains a placeholder, at any depth of escaping: it was redacted. */
bool ck_redact_is_masked(ck_bytes text);
/* True when `masked` can be the redacted form of `original`: equal except for placeholders, each of
 * which stands for any bytes. For comparing stored values with recorded ones; a value without
 * placeholders matches only itself. */
bool ck_redact_matches(ck_bytes masked, ck_bytes original);
/* Reads a secret reference, {"$ckrun.ref":"env:NAME"}, which is resolved again on resume: appends
 * "env:NAME"; false for any other value. Only a hook makes secret references: an item that already
 * is one is masked, or a model could read any variable. */
bool ck_redact_read_ref(ck_buffer *out, ck_bytes value);
/* The secret reference for `ref`. */
CK_CHECKED ck_status ck_redact_make_ref(ck_value **out, const char *ref, ck_error *err);

/* How often each rule masked something: "known", "key:api key", "value:jwt", "policy:drop", … False
 * after the last. */
typedef struct ck_redact_count {
  const char *family, *rule; /* rule may be empty */
  uint64_t count;
} ck_redact_count;
bool ck_redactor_count_at(ck_redact_count *out, const ck_redactor *self, size_t index);

#endif
