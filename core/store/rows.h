/* rows.h - encoded rows as the store core and a backend exchange them, and operations on several of
 * them. */
#ifndef CK_STORE_ROWS_H
#define CK_STORE_ROWS_H

#include "core/store/format/head.h"
#include "core/store/format/seal.h"
#include "core/store/store.h"

/* How bytes are stored. The numbers are on disk: they never change. */
typedef enum {
  CK_ENCODING_PLAIN = 0,
  CK_ENCODING_ZSTD = 1,
  CK_ENCODING_SEALED = 2, /* bit: sealed after compression (sealed/sealed.h) */
  /* bit: scrubbed, the bytes are the digest of the content; reserved, not written yet */
  CK_ENCODING_TOMBSTONE = 4,
  /* bit: of a pruned checkpoint; without bytes it is a stub (format/payload.h) */
  CK_ENCODING_PRUNED = 8
} ck_encoding;

typedef struct ck_event_row {
  int64_t seq, timeline;
  ck_event_kind kind;
  int64_t at_ms;
  const char *scope, *agent; /* agent may be NULL */
  int encoding;
  int64_t plain_len; /* of the body before compression */
  int64_t check;     /* ck_chain_check_of_event, by which a damaged row is found */
  ck_bytes body;     /* as stored */
  ck_bytes mac;      /* no bytes: unsigned */
  ck_bytes key_id;   /* no bytes: unsigned, or already opened */
  ck_bytes decision; /* as in ck_event; no bytes: none */
  /* of a row that was read: why it could not be opened; NULL: it was, or needed no key */
  const ck_error *fault;
} ck_event_row;

typedef struct ck_checkpoint_row {
  char id[CK_ID_SIZE];
  int64_t seq, parent, keyframe, timeline;
  int64_t covers; /* events with covers < seq <= this seq are in its digest */
  ck_boundary_kind kind;
  int64_t created_ms;
  bool clean, resumable;
  ck_totals totals;
  int64_t changed;
  int format; /* of the payload; CK_PAYLOAD_FORMAT when written */
  int encoding;
  int64_t plain_len;
  ck_bytes info;            /* JSON */
  ck_bytes payload;         /* as stored */
  size_t sealing;           /* bytes by which it was longer before it was opened */
  ck_digest events_digest;  /* of the covered events */
  ck_digest payload_digest; /* of the payload as stored */
  ck_digest digest;         /* logical, chained */
  ck_bytes mac;             /* no bytes: unsigned */
  ck_bytes key_id;          /* no bytes: unsigned, or already opened */
  const ck_error *fault;    /* as in ck_event_row */
} ck_checkpoint_row;

typedef struct ck_row_batch {
  ck_lease lease;
  const ck_event_row *events;
  size_t event_count;
  const ck_checkpoint_row *checkpoint; /* or NULL */
  const ck_session_update *update;     /* or NULL */
  const ck_head_row *head;             /* how far the session comes by it; NULL: not written */
  int64_t at_ms;                       /* for updated_ms */
  bool unsealed;                       /* as in ck_opening */
  ck_status status; /* out: CK_OK, CK_E_FENCED, CK_E_RANGE, CK_E_NOT_FOUND, CK_E_CORRUPT */
} ck_row_batch;

/* The change of a checkpoint's row by pruning. A stub has no payload, no keyframe and no plain
 * length. */
typedef struct ck_prune_row {
  int64_t seq;
  ck_digest digest; /* of the row that was read; a row with another digest is not changed */
  int encoding;
  bool stub;
  bool drop; /* it was not pruned until now */
  ck_digest payload_digest;
  ck_bytes mac, key_id; /* of the changed row; no bytes: unsigned */
  ck_bytes info;        /* no bytes: unchanged */
} ck_prune_row;

/* Changes a row that was read into one of another session. */
typedef ck_status (*ck_event_row_move)(void *to, ck_event_row *row, ck_error *err);

/* A fork of a session that is deleted, and what is copied to it: everything up to its cut. */
typedef struct ck_dependent_fork {
  int64_t session;
  int64_t cut;
  int64_t timeline;    /* the fork's first own one: older ones are copied */
  ck_origin origin;    /* the fork's new one */
  ck_prune_row *stubs; /* the deleted session's checkpoints, as the fork's own stubs */
  size_t stub_count;
  ck_event_row_move move; /* for each event's row; NULL: rows are copied unchanged */
  void *to;               /* of `move` */
} ck_dependent_fork;

/* Bytes that are kept by their content (blob.h). */
typedef struct ck_blob_row {
  ck_digest
      name; /* the digest of the plain bytes; as stored it depends on the key, if there is one */
  const char *kind;
  int encoding; /* PLAIN or SEALED */
  int64_t plain_len;
  ck_bytes body;
  const ck_error *fault; /* as in ck_event_row */
} ck_blob_row;
typedef bool (*ck_blob_row_visit)(void *to, const ck_blob_row *row);

/* The rows that begin a run; as ck_opening. */
typedef struct ck_row_opening {
  const ck_timeline *timeline;
  const ck_event_row *events;
  size_t event_count;
  const ck_checkpoint_row *checkpoint; /* or NULL */
  const ck_session_update *update;     /* or NULL */
  ck_restarts restarts;
  const ck_value *about; /* of the timeline's run; NULL: not known */
  ck_head_row head;
  bool unsealed;
  const ck_blob_row *blobs;
  size_t blob_count;
} ck_row_opening;

/* The part of a session's row that is needed to find and to open its other rows. */
typedef struct ck_identity {
  char id[CK_ID_SIZE];
  ck_origin origin;
  int64_t created_ms;
} ck_identity;

/* Which events: after < seq <= until (until 0: no bound). `kinds`, `agent` and `others` as in
 * ck_event_query, as hints: a backend may return rows that do not match them. */
typedef struct ck_event_rows {
  int64_t session, after, until;
  bool backward;
  uint64_t kinds;
  const char *agent;
  uint64_t others;
} ck_event_rows;

/* Which checkpoints: after < seq <= until (until 0: no bound). Without `payloads` they are left
 * out: payload.data is NULL, payload.len and plain_len are as stored. */
typedef struct ck_checkpoint_rows {
  int64_t session, after, until;
  bool backward; /* descending by seq */
  bool payloads;
} ck_checkpoint_rows;

typedef bool (*ck_event_row_visit)(void *to, const ck_event_row *row);
typedef bool (*ck_checkpoint_row_visit)(void *to, const ck_checkpoint_row *row);

/* A change of key, row by row: each function opens its argument with the old key and seals it with
 * the new one. */
struct ck_rekey_bytes;
typedef struct ck_rekey {
  const ck_seal *from, *to; /* from NULL: there was no key */
  void *self;
  ck_status (*event)(void *self, int64_t session, ck_event_row *row, ck_error *err);
  ck_status (*checkpoint)(void *self, int64_t session, ck_checkpoint_row *row, ck_error *err);
  ck_status (*head)(void *self, int64_t session, ck_head_row *row, ck_error *err);
  ck_status (*blob)(void *self, ck_blob_row *row, ck_error *err);
  /* Bytes that are sealed by themselves, such as inputs and facts; appended to `out`. `text`:
   * stored as hex digits. */
  ck_status (*bytes)(ck_buffer *out, void *self, const struct ck_rekey_bytes *what, ck_error *err);
} ck_rekey;
typedef struct ck_rekey_bytes {
  const char *use, *name, *id; /* id "": of no session */
  int64_t created_ms;
  ck_bytes bytes;
  bool text;
} ck_rekey_bytes;
typedef void (*ck_key_visit)(void *to, ck_bytes key_id, int64_t events, int64_t checkpoints);

#endif
