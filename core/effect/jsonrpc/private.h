/* private.h - a peer and its pending requests. For the files peer*.c only. */
#ifndef CK_EFFECT_JSONRPC_PRIVATE_H
#define CK_EFFECT_JSONRPC_PRIVATE_H

#include <uv.h>

#include "core/effect/jsonrpc/wire.h"
#include "core/effect/process/child.h"

enum { CK_PEER_TEXT_MAX = 900 };

struct ck_peer {
  ck_wire wire;      /* no `send`: it has ended */
  ck_child *child;   /* NULL: another wire, or it has ended */
  uv_timer_t *timer; /* frees itself */
  char *name;
  char why[CK_PEER_TEXT_MAX]; /* why it was ended; "": it was not */
  bool silent;                /* it closed its output */
  size_t line_max, queue_max;
  ck_buffer line;   /* an incomplete line */
  ck_buffer errors; /* the end of its standard error */
  int64_t last_id;
  ck_peer_call calls; /* the ring's end */
  void (*received)(void *to, const ck_rpc_message *message);
  void (*ended)(void *to, const char *why);
  void *to;
};

/* ---- peer_ending.c ---- */
/* Its memory alone. */
void ck_peer_release(ck_peer *self);

/* ---- peer_calls.c: requests under way, and the clock that answers late ones ---- */
int64_t ck_peer_now_ms(void); /* monotonic */
/* The call with this id; NULL: late, answered before, or never asked for. */
ck_peer_call *ck_peer_find_call(ck_peer *self, ck_bytes id);
void ck_peer_remove_call(ck_peer_call *call);
/* Removes the call, then calls `answered`. */
void ck_peer_answer_call(ck_peer_call *call, const ck_peer_answer *answer);
/* For the call that is due next. */
void ck_peer_set_timer(ck_peer *self);

/* ---- peer_excerpt.c: excerpts of a peer's output ---- */
/* Appends the front of a line, as a JSON string. */
void ck_peer_append_excerpt(ck_buffer *out, ck_bytes line);
/* Keeps the end of standard error. */
void ck_peer_keep_errors(ck_peer *self, ck_bytes chunk);
/* Appends "; its last words: …"; nothing when there was no output. */
void ck_peer_append_last_output(ck_buffer *out, ck_bytes errors);

/* ---- peer_child.c: the wire of a child process ---- */
CK_CHECKED ck_status ck_peer_start_child(ck_peer *self, const ck_peer_options *options,
                                         ck_error *err);

/* ---- peer_output.c ---- */
/* Splits standard output into lines, and passes on the messages; no bytes: it was closed. */
void ck_peer_take_output(ck_peer *self, ck_bytes chunk);

#endif
