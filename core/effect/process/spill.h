/* spill.h - a place for output that is too long for a result.
 *
 * It is a file in a folder of its own beside the store, readable for the user alone, or kept by a
 * store that is no file, as SESSION-<16 hex of the effect key's digest>-ATTEMPT.NAME. Known secrets
 * are masked before it is written; of a store with a key it is sealed (core/base/sealed_text.h),
 * bound to its name. The result has the file's path, or that name; it stays until the session's
 * spills are removed, or until no result names it (core/host/run/spills.h). */
#ifndef CK_EFFECT_PROCESS_SPILL_H
#define CK_EFFECT_PROCESS_SPILL_H

#include "core/base/shelf.h"
#include "core/model/effect.h"
#include "core/model/session.h"
#include "core/redact/redact.h"

typedef struct ck_spill ck_spill;

/* Borrowed. */
typedef struct ck_spill_location {
  const ck_shelf *shelf; /* NULL: nothing is spilled */
  const char *withheld;  /* nothing is, and this is why; NULL: it is */
  const char *session;   /* its id */
  ck_redactor *redactor; /* of the loop's thread */
  const uint8_t *key;    /* of ck_store_fingerprint_key; NULL: a store without a key */
} ck_spill_location;

/* The key that the files of a store with that fingerprint key have. The caller wipes `out`. */
enum { CK_SPILL_KEY = 32 };
void ck_spill_derive_key(uint8_t out[CK_SPILL_KEY], const uint8_t *fingerprint_key);
/* The beginning that the names of an effect's files have, up to the number of the attempt.
 * malloc'd.
 */
CK_CHECKED ck_status ck_spill_name(char **out, const char *session, const char *key, ck_error *err);

/* Replaces that of an earlier start of the same attempt. CK_E_IO: path and reason. */
CK_CHECKED ck_status ck_spill_open(ck_spill **out, const ck_spill_location *place,
                                   const ck_effect *effect, const char *name, ck_error *err);
/* Never fails itself: ck_spill_close returns the failure. Delays up to CK_SPILL_WINDOW bytes. */
enum { CK_SPILL_WINDOW = 1 << 20 };
void ck_spill_append(ck_spill *self, ck_bytes bytes);
/* Frees `self`. `*path` is malloc'd: of the file, or its name in the store; no loss of power takes
 * it away. CK_E_IO, CK_E_NO_MEMORY: a write or a sync failed, and what was written is removed. */
CK_CHECKED ck_status ck_spill_close(char **path, ck_spill *self, ck_error *err);
/* Frees, and removes what was written. NULL is fine. */
void ck_spill_drop(ck_spill *self);

/* Whether a file of that folder is the session's: "SESSION-" and 16 hex digits. */
bool ck_spill_belongs(const char *file, const char *session);
/* That session; false: there is none. */
bool ck_spill_session(char out[CK_ID_SIZE], const char *file);
/* Visits those of a session (NULL: of all): `visit` gets each one's name and size, and returns true
 * to remove it. CK_E_IO: the first that could not be removed. */
typedef ck_shelf_visit ck_spill_visit;
CK_CHECKED ck_status ck_spill_sweep(const ck_shelf *shelf, const char *session,
                                    ck_spill_visit visit, void *to, ck_error *err);

#endif
