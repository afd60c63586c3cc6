/* chain.h - the chain that a session's next checkpoint continues: the state it is compared with,
 * the digests it is chained to.
 *
 * Three digests, all BLAKE2b-256. "int" is 8 bytes, little endian; "field" is an int with the
 * length, then the bytes.
 *
 *   event      = H( "ckrun event 1" (13 bytes), int seq, int timeline, int kind, int at_ms,
 *                   field scope, int 1 and field agent, or int 0 when there is no agent,
 *                   32 bytes H(plain body) )
 *   events     = H( the event digests of all events of the session with covers < seq <= the
 *                   checkpoint's seq, of any timeline, 32 bytes each, ascending by seq )
 *                where covers = seq of the previous checkpoint by seq (any timeline), 0 when there
 *                is none
 *   checkpoint = H( "ckrun checkpoint 1" (18 bytes),
 *                   32 bytes digest of the parent checkpoint (zeros: no parent),
 *                   field session id, field checkpoint id, int seq, int parent, int timeline,
 *                   int covers, int kind, int created_ms, int clean, int resumable,
 *                   the seven totals as ints in the order of ck_totals, int changed, field info,
 *                   field changed section of the payload (codec.h), 32 bytes events digest )
 *
 * The body enters an event's digest as a hash, so that a body can be scrubbed later while the chain
 * stays checkable. Nothing physical (encoding, keyframe or delta, compression) enters them, so a
 * payload can be packed again.
 *
 * A checkpoint is written as a keyframe when it has no parent, when its parent is not the last
 * checkpoint of the session or not one of its own, when the chain was loaded after anything failed,
 * when the last keyframe and the deltas since, this one included, would come to twice the size of
 * the state, or after max(512, state bytes / 2048) deltas. So a load reads at most twice the state;
 * and as no keyframe is larger than half of the last one and the deltas between them, all keyframes
 * together stay below all deltas. */
#ifndef CK_STORE_FORMAT_CHAIN_H
#define CK_STORE_FORMAT_CHAIN_H

#include "core/store/backend.h"
#include "core/store/format/codec.h"

/* The chain of one leased session. It is ahead of the store while a commit is under way; when the
 * commit fails, drop it (ck_chain_drop). */
typedef struct ck_chain ck_chain;

CK_CHECKED ck_status ck_chain_new(ck_chain **out, const char *session_id, ck_error *err);
void ck_chain_free(ck_chain *self);
const char *ck_chain_session(const ck_chain *self);
/* Forgets state and tail: both are loaded from the store again. */
void ck_chain_drop(ck_chain *self);

/* Events. Before the first one is appended, the tail must be loaded: begin with the seq of the last
 * checkpoint, then append the events after it. */
/* Whether `seq` is the next one after the tail. */
bool ck_chain_follows(const ck_chain *self, int64_t seq);
bool ck_chain_has_tail(const ck_chain *self);
void ck_chain_begin_tail(ck_chain *self, int64_t covers);
/* CK_E_RANGE: its seq does not follow. */
CK_CHECKED ck_status ck_chain_append_event(ck_chain *self, int64_t seq, const ck_digest *digest,
                                           ck_error *err);

/* States. True when the state is the one at the checkpoint `seq`. */
bool ck_chain_is_at(const ck_chain *self, int64_t seq);
/* False when the checkpoint, encoded next, may need the state as a whole: it is to be loaded, or is
 * written as a keyframe. */
bool ck_chain_adds(const ck_chain *self, const ck_checkpoint *checkpoint);
/* What a state was loaded from: the next delta makes that longer. */
typedef struct ck_chain_base {
  int64_t keyframe; /* its seq; 0: a keyframe is to follow */
  /* plain bytes of it and of the deltas behind it, at least */
  size_t keyframe_bytes, delta_bytes, delta_count;
} ck_chain_base;
/* Takes `state`, the state at the checkpoint `seq` with the given digest (0 and zeros: the empty
 * state at the start). */
void ck_chain_begin_state(ck_chain *self, ck_state *state, int64_t seq, const ck_digest *digest,
                          const ck_chain_base *base);

/* Encodes a checkpoint after all events appended so far; the chain must be at checkpoint->parent,
 * and is then at the new one. Fills `row` except encoding, payload and payload_digest; `plain`
 * (reset first) holds the payload. Texts and info are borrowed from `checkpoint`. CK_E_USAGE: a key
 * is given twice, or is empty; CK_E_OVERSIZE. After an error the chain must be dropped. */
CK_CHECKED ck_status ck_chain_encode(ck_checkpoint_row *row, ck_buffer *plain, ck_chain *self,
                                     const ck_checkpoint *checkpoint, int64_t timeline,
                                     ck_error *err);

/* The digests. `event->body` is not used. */
ck_digest ck_chain_digest_event(const ck_event_row *event, ck_bytes plain);
/* The digest's first 8 bytes. */
int64_t ck_chain_check_of(const ck_digest *digest);
/* The check of an event's row: of its digest, or of that and its decision, if it has one. */
int64_t ck_chain_check_of_event(const ck_digest *digest, ck_bytes decision);
/* `changed` is the changed section. row->digest and the physical fields are not used. */
ck_digest ck_chain_digest_checkpoint(const ck_checkpoint_row *row, const char *session_id,
                                     const ck_digest *parent, ck_bytes changed);

#endif
