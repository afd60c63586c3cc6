/* action.h - what an agent wants to do by itself in the middle of its turn, and the word on it. */
#ifndef CK_MODEL_ACTION_H
#define CK_MODEL_ACTION_H

#include "core/model/effect.h"
#include "core/model/permission.h"

typedef enum {
  CK_ACTION_ALLOWED, /* it is recorded so */
  CK_ACTION_DENIED,  /* likewise, or it cannot be asked about */
  CK_ACTION_LATER    /* a person is asked, and nobody answers now: the turn is to go again then */
} ck_action_word;

typedef struct ck_action {
  ck_effect_class class;
  ck_permit rule;   /* the profile's: CK_PERMIT_UNSET, CK_PERMIT_ALLOW or CK_PERMIT_ASK */
  ck_bytes call;    /* the agent's id of it, JSON: asked about again it is the same one; may be
                       empty */
  ck_bytes request; /* JSON object, see ck_effect: what policies and people see */
  ck_bytes option;  /* the agent's id of its option that allows this once, JSON; empty: it offers
                       none, so that the action is denied */
  bool lasts;       /* `option` allows it for ever: only a person says so, who is told */
  /* `why`: one line, of DENIED and LATER; `person`: a person has decided. */
  void (*answered)(void *to, ck_action_word word, bool person, const char *why);
  void *to;
} ck_action;

typedef struct ck_action_question ck_action_question; /* an action that is asked about */

#endif
