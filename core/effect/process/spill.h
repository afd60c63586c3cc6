/* spill.h - a file for what is too long to be kept in a result.
 *
 * It lies in a folder of its own beside the store, readable for the user alone, as SESSION-<16 hex
 * of the effect key's digest>-ATTEMPT.NAME. What is known to be secret is masked before it is
 * written. The result says its path; the file stays until the session's spills are removed, or
 * until no result says it (core/host/run/spills.h). */
#ifndef CK_EFFECT_PROCESS_SPILL_H
#define CK_EFFECT_PROCESS_SPILL_H

#include "core/model/effect.h"
#include "core/redact/redact.h"

typedef struct ck_spill ck_spill;

/* Borrowed. */
typedef struct ck_spill_location {
  const char *directory; /* made when it is first needed; NULL: nothing is spilled */
  const char *session;   /* its id */
  ck_redactor *redactor; /* of the loop's thread */
} ck_spill_location;

/* A file of an earlier start of the same attempt is written anew. CK_E_IO: path and reason. */
CK_CHECKED ck_status ck_spill_open(ck_spill **out, const ck_spill_location *place,
                                   const ck_effect *effect, const char *name, ck_error *err);
/* Never fails on the spot: ck_spill_close tells. Holds up to CK_SPILL_WINDOW bytes back. */
enum { CK_SPILL_WINDOW = 1 << 20 };
void ck_spill_append(ck_spill *self, ck_bytes bytes);
/* Frees `self`. `*path` is malloc'd. CK_E_IO, CK_E_NO_MEMORY: something could not be written, and
 * the file is gone. */
CK_CHECKED ck_status ck_spill_close(char **path, ck_spill *self, ck_error *err);
/* Frees, and removes the file. NULL is fine. */
void ck_spill_drop(ck_spill *self);

/* The files of a session (NULL: of all) in that folder, which need not be there: `visit` gets each
 * one's name and size, and says whether it goes. CK_E_IO: the first that could not be removed. */
typedef bool (*ck_spill_visit)(void *to, const char *name, int64_t bytes);
CK_CHECKED ck_status ck_spill_sweep(const char *directory, const char *session,
                                    ck_spill_visit visit, void *to, ck_error *err);

#endif
