/* wire.h - the seam below a peer: how its messages get there and back. A child process's standard
 * streams are one wire (peer_child.c), requests of HTTP another (core/effect/mcp/http.h).
 *
 * A wire is made and given to ck_peer_open, which takes it. It calls the functions at the end of
 * this file from the loop, never from within one of its own, `send` excepted: what that has read
 * meanwhile. */
#ifndef CK_EFFECT_JSONRPC_WIRE_H
#define CK_EFFECT_JSONRPC_WIRE_H

#include "core/effect/jsonrpc/peer.h"

/* Borrowed for the call. */
typedef struct ck_wire_message {
  ck_bytes line;      /* with its newline */
  int64_t id;         /* of a request, which is answered or lost; 0: nothing comes back */
  const char *method; /* NULL: an answer to the peer */
  bool repeats;       /* of a request: doing it twice does no harm */
} ck_wire_message;

struct ck_wire {
  void *self;
  /* CK_E_UNAVAILABLE: the peer does not take it; nothing was sent. */
  ck_status (*send)(void *self, const ck_wire_message *message, ck_error *err);
  /* Nobody waits for the answer to this request any more. NULL: the wire need not know. */
  void (*forget)(void *self, int64_t id);
  /* Nothing more will be sent; a peer that stays is ended. `ck_peer_ended` will be called. */
  void (*close)(void *self);
  /* Ends the peer. `ck_peer_ended` will be called. */
  void (*stop)(void *self);
  /* Ends it and frees the wire, which calls nothing any more; blocks for so long at most. */
  void (*dismiss)(void *self, int64_t patience_ms);
};

/* A text that should be a message, or a batch of them. False: it is none, and `why` says so ("no
 * JSON: …"); *out of memory: the peer was stopped. */
bool ck_peer_take(ck_peer *self, ck_bytes text, ck_buffer *why);
/* The request is not answered yet, and its answer is wanted. */
bool ck_peer_waits(ck_peer *self, int64_t id);
/* No answer to the request will come. `why` begins with what the peer did. */
void ck_peer_lose(ck_peer *self, int64_t id, ck_peer_arrival arrival, const char *why);
/* The peer is gone, and the wire about to be freed by itself; `last_words`: of its standard error,
 * no bytes: none. Frees the peer. */
void ck_peer_ended(ck_peer *self, const char *why, ck_bytes last_words);

#endif
