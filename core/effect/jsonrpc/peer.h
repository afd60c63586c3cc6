/* peer.h - a child process that is talked to in JSON-RPC 2.0, one message a line, on its standard
 * input and output.
 *
 * It can ask and be asked at any time. Whatever it does, each request is answered once: by it, by
 * its end, or by the clock. A line that is no such message ends it. None of the callbacks may free
 * the peer. */
#ifndef CK_EFFECT_JSONRPC_PEER_H
#define CK_EFFECT_JSONRPC_PEER_H

#include "core/effect/jsonrpc/jsonrpc.h"
#include "core/effect/loop.h"

typedef struct ck_peer ck_peer;

enum {
  CK_PEER_LINE_MAX = 8 << 20,   /* bytes of one message from it */
  CK_PEER_QUEUE_MAX = 16 << 20, /* bytes that may wait until it reads them */
  CK_PEER_ERROR_MAX = 4096,     /* bytes of standard error kept, from its end */
  CK_PEER_KILL_MS = 2000,       /* from closing its input to SIGTERM, from there to SIGKILL */
  CK_PEER_PATIENCE_MS = 1000    /* the most that ck_peer_free blocks */
};

typedef enum {
  CK_PEER_RESULT, /* `json` is the result */
  CK_PEER_ERROR,  /* it refused: `text` is its message and code */
  CK_PEER_LATE,   /* no answer in time: `text` says so. One that comes later is not heard */
  CK_PEER_LOST    /* it has ended: `text` says why and shows its last words */
} ck_peer_outcome;

/* Borrowed for the call. `text` is one line that names the peer. */
typedef struct ck_peer_answer {
  ck_peer_outcome outcome;
  ck_bytes json;
  int64_t code;
  const char *text;
} ck_peer_answer;

/* One request, in memory of the caller's; zero-initialise and set the upper part. */
typedef struct ck_peer_call {
  void (*answered)(
      void *to,
      const ck_peer_answer *answer); /* once, from the loop, unless it is forgotten before */
  void *to;
  int64_t silence_ms;  /* the most that may pass since it was sent, or last touched; 0: any time */
  int64_t deadline_ms; /* monotonic; 0: none */
  int64_t id;          /* of the request; 0: it is not under way */
  int64_t sent_id;     /* of the last one that was sent; 0: none */
  int64_t since_ms;
  struct ck_peer_call *next, *previous;
} ck_peer_call;

/* Texts are borrowed for the call of ck_peer_open; a limit of 0 is the one above. */
typedef struct ck_peer_options {
  ck_loop *loop;
  const char *name; /* for messages: "the MCP server 'x'" */
  char *const *argv;
  char *const *environment; /* NULL-terminated; nothing else is inherited */
  const char *directory;    /* NULL: here */
  size_t line_max, queue_max;
  int64_t kill_ms;
  /* A request (it has an id; answer it) or notification of the peer's, borrowed for the call. */
  void (*received)(void *to, const ck_rpc_message *message);
  /* Once, after every call was answered; `why` is one line, borrowed. The peer is gone after it. */
  void (*ended)(void *to, const char *why);
  void *to;
} ck_peer_options;

/* A program that cannot be started is no error here: it ends. */
CK_CHECKED ck_status ck_peer_open(ck_peer **out, const ck_peer_options *options, ck_error *err);
/* It takes nothing any more; `ended` will be called. */
bool ck_peer_is_ending(const ck_peer *self);
/* Sends a request. After an error status `answered` is never called, and nothing was sent:
 * CK_E_UNAVAILABLE: it is ending, does not read, or the deadline has passed. */
CK_CHECKED ck_status ck_peer_request(ck_peer *self, ck_peer_call *call, const char *method,
                                     ck_bytes params, ck_error *err);
/* Its answer will not be heard. Nothing happens when it is not under way. */
void ck_peer_forget(ck_peer *self, ck_peer_call *call);
/* It was heard of: its silence begins anew. */
void ck_peer_touch(ck_peer *self, ck_peer_call *call);
/* Waits for the answer to a late call after all, from within `answered`; `silence_ms` and
 * `deadline_ms` may be set anew. */
void ck_peer_renew(ck_peer *self, ck_peer_call *call);
/* These do nothing when it is ending. One that does not read what it is told is ended. */
void ck_peer_notify(ck_peer *self, const char *method, ck_bytes params);
void ck_peer_reply(ck_peer *self, ck_bytes id, ck_bytes result);
void ck_peer_refuse(ck_peer *self, ck_bytes id, int code, const char *message);
/* Closes its input, and ends it if it does not. `why` is told as the reason. */
void ck_peer_end(ck_peer *self, const char *why);
/* SIGTERM, later SIGKILL. */
void ck_peer_stop(ck_peer *self, const char *why);
/* How much of the front of a text is shown when it may have `most` bytes: no word is cut, since
 * half a secret is not known for one. */
size_t ck_peer_cut(ck_bytes text, size_t most);
/* Ends it and all that is in its process group now; no callback is called any more. NULL is
 * fine. */
void ck_peer_free(ck_peer *self);

#endif
