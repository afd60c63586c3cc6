/* scrub.h - takes what must not be there out of the rows of sessions at rest, and makes the digests
 * over them again.
 *
 * What goes and what stands in its place is decided by rules; here rows are opened, given to the
 * rules and written back, with each digest that depends on them: of events, of checkpoints and all
 * that follow them, in forks too, of heads. Nothing that remains depends on what was taken out, so
 * that nobody can find it by trying. A pruned checkpoint, whose changes are not there any more, is
 * digested anew without them. */
#ifndef CK_STORE_SCRUB_H
#define CK_STORE_SCRUB_H

#include "core/store/store.h"

/* X(enumerator, name): a kind of stored bytes. */
/* clang-format off */
#define CK_SCRUB_TABLE(X) \
  X(CK_SCRUB_EVENT, "events")   /* JSON, the body of one of `kind` at `seq` */ \
  X(CK_SCRUB_STATE, "values")   /* JSON, the value of the state's key `name` */ \
  X(CK_SCRUB_INFO, "infos")     /* JSON, of a checkpoint */ \
  X(CK_SCRUB_INPUT, "inputs")   /* JSON */ \
  X(CK_SCRUB_TEXT, "texts")     /* a text: a reason, a description, a node */ \
  X(CK_SCRUB_ABOUT, "runs")     /* JSON, what a run executed */ \
  X(CK_SCRUB_REQUEST, "requests") /* JSON */ \
  X(CK_SCRUB_FACT, "facts")     /* JSON */ \
  X(CK_SCRUB_FILE, "files")     /* a text: of a flow, a profile, a policy; goes as a whole */ \
  X(CK_SCRUB_NAME, "names")     /* a text that cannot be changed: an id, a scope, a key */
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_SCRUB_TABLE(X)
#undef X
      CK_SCRUB_PLACES
} ck_scrub_place;
const char *ck_scrub_place_name(ck_scrub_place place);

/* Borrowed for the call. */
typedef struct ck_scrub_item {
  ck_scrub_place place;
  int64_t session; /* 0: of none */
  int64_t seq;     /* of the event or checkpoint; 0: of none, or only the answer is asked for */
  ck_event_kind kind;
  const char *name; /* of a state's key, a fact, a text, a file; of a name what it is the name of:
                       "id", "profile", "flow", "scope", "agent", "key", "fact"; NULL */
  ck_bytes bytes;
} ck_scrub_item;

typedef struct ck_scrub_rules {
  void *self;
  /* Appends what stands for `item` from now on; *changed false: it stays, and nothing is appended.
   * The same bytes at the same place always give the same. */
  ck_status (*apply)(ck_buffer *out, bool *changed, void *self, const ck_scrub_item *item,
                     ck_error *err);
  /* The body of the event that tells of it, of a session in which rows have changed; NULL in *out:
   * none is written. */
  ck_status (*record)(ck_value **out, void *self, int64_t session, ck_error *err);
  /* A file is kept for sessions that are not scrubbed; NULL: nothing is called. */
  void (*leave)(void *self, const ck_scrub_item *item);
} ck_scrub_rules;

typedef struct ck_scrub_report {
  /* rows that were written again, those of which only digests are other ones included */
  int64_t sessions, events, checkpoints;
} ck_scrub_report;

/* Scrubs the leased sessions and the facts of the store in one power-durable transaction; `leases`
 * ascend by session and hold each session from which one of them inherits, and each that inherits
 * from one. The epoch of each session that changed is raised, so that a run which read it before is
 * fenced, and its lease is void. `dry_run`: the rules are asked and nothing is written.
 * CK_E_CORRUPT: a row is not what was written; CK_E_NEWER, CK_E_UNSUPPORTED; the failures of
 * ck_store_commit: nothing was changed. */
CK_CHECKED ck_status ck_store_scrub(ck_scrub_report *out, ck_store *self, const ck_lease *leases,
                                    size_t count, const ck_scrub_rules *rules, bool dry_run,
                                    ck_error *err);

/* ---- what of a scrub was begun and did not come to its end ---- */

/* Keeps `note` in the store, which holds nothing secret, until the end; power-durable. */
CK_CHECKED ck_status ck_store_begin_scrub(ck_store *self, ck_bytes note, ck_error *err);
/* Appends the note; nothing: no scrub was left unfinished. */
CK_CHECKED ck_status ck_store_get_scrub(ck_buffer *out, ck_store *self, ck_error *err);
/* Packs the file anew, so that no page holds remains, moves the write-ahead log into it and cuts
 * it, then forgets the note. CK_E_BUSY: a reader keeps old pages in the log; the note stays. */
CK_CHECKED ck_status ck_store_end_scrub(ck_store *self, ck_error *err);

#endif
