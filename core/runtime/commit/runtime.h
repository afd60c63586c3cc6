/* runtime.h - what sessions of one process share: the store, its writer, the clock. */
#ifndef CK_RUNTIME_COMMIT_RUNTIME_H
#define CK_RUNTIME_COMMIT_RUNTIME_H

#include "core/base/clock.h"
#include "core/base/waker.h"
#include "core/store/store.h"

typedef struct ck_runtime ck_runtime;

/* Opens the store at `url` (see ck_store_open) and starts the writer. `clock` NULL: the
 * system's. */
CK_CHECKED ck_status ck_runtime_open(ck_runtime **out, const char *url,
                                     const ck_store_options *options, const ck_clock *clock,
                                     ck_error *err);
/* Every session must be closed before. Commits all that is queued. NULL is fine. */
void ck_runtime_close(ck_runtime *self);

/* Borrowed, for reading while it is open. */
ck_store *ck_runtime_store(const ck_runtime *self);
/* Woken when a session has something to do: a program with a loop of its own watches it, and then
 * asks ck_session_check. Borrowed. */
ck_waker *ck_runtime_waker(const ck_runtime *self);

/* ---- within ckrun ---- */

#include "core/runtime/commit/writer.h"

struct ck_runtime {
  ck_store *store;
  ck_writer *writer;
  ck_clock clock;
  /* the text of the store's key, which is a secret like a profile's, of ck_locked_text; NULL: none.
   * Set by the host, freed with this */
  char *key;
  const char
      *via; /* by what a person answers here, as "ckrun answer"; borrowed; NULL. By the host */
  /* Of a person's acts on a session at rest, which no policy engine is given for: only `redact` is
   * asked, of what they write. Borrowed; NULL: nobody. By the host */
  const struct ck_policy_engine *redacting;
  int64_t sums_every; /* events between sums in checkpoints (kept_sums.h); 0: as it is. By tests */
  ck_waker *waker;    /* woken when a session has something to do; its loop thread watches it */
};

#endif
