/* peer.h - somebody who exchanges messages of JSON-RPC 2.0 with this process: a child process, one
 * message a line on its standard input and output, or whom another wire reaches.
 *
 * Both sides can send requests at any time. Each request to the peer is answered once: by the peer,
 * by its end, or by the clock. A line that is no message ends the
 * peer; of another wire, the exchange that it came with. None of the callbacks may
 * free the peer. */
#ifndef CK_EFFECT_JSONRPC_PEER_H
#define CK_EFFECT_JSONRPC_PEER_H

#include "core/effect/jsonrpc/jsonrpc.h"
#include "core/effect/loop.h"

typedef struct ck_peer ck_peer;
typedef struct ck_wire ck_wire; /* core/effect/jsonrpc/wire.h */

enum {
  CK_PEER_LINE_MAX = 8 << 20,   /* bytes of one message from the peer */
  CK_PEER_QUEUE_MAX = 16 << 20, /* bytes that may wait until the peer reads them */
  CK_PEER_ERROR_MAX = 4096,     /* bytes of standard error kept, from its end */
  CK_PEER_KILL_MS = 2000,       /* from closing its input to SIGTERM, from there to SIGKILL */
  CK_PEER_PATIENCE_MS = 1000    /* the most that ck_peer_free blocks */
};

typedef enum {
  CK_PEER_RESULT, /* `json` is the result */
  CK_PEER_ERROR,  /* the peer refused: `text` is its message and code */
  CK_PEER_LATE,   /* no answer in time: `text` says so. A later answer is ignored */
  CK_PEER_LOST /* no answer will come, `text` says why; of a child, whose end it was, with the end
                  of its standard error */
} ck_peer_outcome;

/* What is known of a request that is lost. */
typedef enum {
  CK_PEER_ARRIVED,  /* the peer may have acted on it */
  CK_PEER_UNSENT,   /* it did not reach the peer, or was refused unread */
  CK_PEER_REFUSED,  /* the peer does not take such a request */
  CK_PEER_FORGOTTEN /* the same, for the peer knows nothing of this client any more: it is to be
                       initialized anew */
} ck_peer_arrival;

/* Borrowed for the call. `text` is one line that names the peer. */
typedef struct ck_peer_answer {
  ck_peer_outcome outcome;
  ck_bytes json;
  int64_t code;
  const char *text;
  ck_peer_arrival arrival; /* of LOST */
} ck_peer_answer;

/* One request, in the caller's memory; zero-initialise and set the upper part. */
typedef struct ck_peer_call {
  void (*answered)(
      void *to,
      const ck_peer_answer *answer); /* once, from the loop, unless the call is forgotten before */
  void *to;
  int64_t silence_ms;  /* the most that may pass since it was sent or last touched; 0: any time */
  int64_t total_ms;    /* the most in all, however often it is touched; 0: any time */
  bool repeats;        /* doing it twice does no harm */
  ck_bytes subject;    /* what the peer works on, for the message of total_ms; borrowed */
  int64_t deadline_ms; /* monotonic; 0: none */
  int64_t id;          /* of the request; 0: it is not pending */
  int64_t sent_id;     /* of the last request sent; 0: none */
  int64_t since_ms;
  int64_t begun_ms;     /* total_ms counts from here */
  int64_t suspended_ms; /* since when total_ms does not count; 0: it counts */
  struct ck_peer_call *next, *previous;
} ck_peer_call;

/* Texts are borrowed for the call of ck_peer_open; a limit of 0 is the one above. */
typedef struct ck_peer_options {
  ck_loop *loop;
  const char *name; /* for messages: "the MCP server 'x'" */
  char *const *argv;
  char *const *environment; /* NULL-terminated; nothing else is inherited */
  const char *directory;    /* NULL: where this process is */
  size_t line_max, queue_max;
  int64_t kill_ms;
  const ck_wire *wire; /* how the peer is reached in place of a child, taken; NULL: argv */
  /* A request of the peer (it has an id; reply to it) or a notification, borrowed for the call. */
  void (*received)(void *to, const ck_rpc_message *message);
  /* Once, after every call was answered; `why` is one line, borrowed. The peer is freed after
   * it. */
  void (*ended)(void *to, const char *why);
  void *to;
} ck_peer_options;

/* A program that cannot be started is no error here: `ended` is called. */
CK_CHECKED ck_status ck_peer_open(ck_peer **out, const ck_peer_options *options, ck_error *err);
/* The peer accepts nothing any more; `ended` will be called. */
bool ck_peer_is_ending(const ck_peer *self);
/* Sends a request. After an error status nothing was sent and `answered` is never called.
 * CK_E_UNAVAILABLE: the peer is ending, does not read, or the deadline has passed. */
CK_CHECKED ck_status ck_peer_request(ck_peer *self, ck_peer_call *call, const char *method,
                                     ck_bytes params, ck_error *err);
/* Ignores the answer to the call. Nothing happens when the call is not pending. */
void ck_peer_forget(ck_peer *self, ck_peer_call *call);
/* The peer gave a sign of life: the call's silence begins anew. total_ms counts on. */
void ck_peer_touch(ck_peer *self, ck_peer_call *call);
/* The time from now on counts for total_ms, or does not: a person thinks. */
void ck_peer_suspend(ck_peer *self, ck_peer_call *call, bool suspended);
/* `to` is pending in the place of `from`; `answered` and what it is given may be set anew. */
void ck_peer_move(ck_peer_call *to, ck_peer_call *from);
/* Goes on waiting for the answer to a late call, from within `answered`; `silence_ms`,
 * `total_ms` and `deadline_ms` may be set anew. */
void ck_peer_renew(ck_peer *self, ck_peer_call *call);
/* These do nothing when the peer is ending. A peer that does not read them is ended. */
void ck_peer_notify(ck_peer *self, const char *method, ck_bytes params);
void ck_peer_reply(ck_peer *self, ck_bytes id, ck_bytes result);
void ck_peer_refuse(ck_peer *self, ck_bytes id, int code, const char *message);
/* Closes the peer's input, and ends a peer that stays. `why` becomes the reason of its end. */
void ck_peer_end(ck_peer *self, const char *why);
/* SIGTERM, later SIGKILL. */
void ck_peer_stop(ck_peer *self, const char *why);
/* The length of the front of a text that is shown when it may have `most` bytes. No word is cut,
 * since the redactor would not recognise half a secret. */
size_t ck_peer_cut(ck_bytes text, size_t most);
/* Ends the peer and its whole process group now; no callback is called any more. NULL is fine. */
void ck_peer_free(ck_peer *self);

#endif
