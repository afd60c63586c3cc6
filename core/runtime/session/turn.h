/* turn.h - what happened in a scope since its last boundary, and what was said last there, as
 * policies are told. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_TURN_H
#define CK_RUNTIME_SESSION_TURN_H

#include "core/base/buffer.h"
#include "core/model/checkpoint.h"
#include "core/model/conversation.h"
#include "core/model/effect.h"

typedef struct ck_boundary ck_boundary;

/* Zero-initialise. */
typedef struct ck_turn {
  ck_buffer tools;    /* those that ran, a JSON array of {tool, class?}; empty: none */
  ck_buffer model;    /* the one that answered last, a JSON string; empty: none */
  ck_buffer message;  /* of ck_turn_show */
  ck_value *measured; /* the message whose length is known; owned */
  int64_t length;
  ck_buffer error;  /* of ck_turn_keep_error; empty: none */
  bool error_known; /* a boundary of the scope told */
} ck_turn;
void ck_turn_clear(ck_turn *self);

/* An outcome of this effect, recorded or replayed: its body. What was denied or could not be
 * carried out did not run. */
CK_CHECKED ck_status ck_turn_add(ck_turn *self, const ck_effect *effect, const ck_value *body,
                                 ck_error *err);
/* Fills `at->message`, `at->tools`, `at->model`, borrowed until the next call. The message is the
 * last of the conversation (NULL: none) that is no tool's result: {role, length: bytes of its text
 * as stored, text?: that text, where `text` is true, calls?: [{tool, class?, id?}]}; classes are
 * those of `at->calls`, else of the tools that ran. */
void ck_turn_show(ck_boundary *at, ck_turn *self, const ck_conversation *conversation, bool text);
/* Borrowed: that message; NULL: none. */
const ck_value *ck_turn_find_message(const ck_conversation *conversation);
/* Its text, as policies are shown it. */
void ck_turn_append_text(ck_buffer *out, const ck_value *message);
/* A boundary of the scope lies behind it. */
void ck_turn_end(ck_turn *self);
/* What failed before a boundary of that kind: `last_error` of its event's body, as stored; no
 * bytes: nothing. For want of memory it is left out. False: it is of a kind that does not tell, and
 * what is kept stays. */
bool ck_turn_keep_error(ck_turn *self, ck_boundary_kind kind, ck_bytes error);

#endif
