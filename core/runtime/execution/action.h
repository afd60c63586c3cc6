/* action.h - what an agent wants to do by itself in its turn: put to the policies, and to a person
 * whom they ask. Within the room.
 *
 * It is a call beside that of the agent's prompt, below its key: KEY/agent_tool/DIGEST/N, the N-th
 * time that this turn wants the same. No driver carries it out: that it was allowed is recorded,
 * intent and outcome at once, before the agent is told; or that it was denied. A person's answer
 * counts until the prompt has come to something, so that a turn that goes again finds it. */
#ifndef CK_RUNTIME_EXECUTION_ACTION_H
#define CK_RUNTIME_EXECUTION_ACTION_H

#include "core/runtime/execution/call_private.h"

struct ck_action_question {
  ck_call *call, *of;        /* itself as a call; that of the prompt */
  ck_action_question *first; /* the same action, asked about before in this turn; NULL: none */
  uint64_t turn;             /* the ticket of the prompt's intent: one turn of several */
  ck_value *id, *option, *request;
  ck_permit rule;
  bool lasts; /* as ck_action has it */
  void (*answered)(void *to, ck_action_word word, bool person, const char *why);
  void *to;
  bool allowed, told;
  bool late; /* answered, once its turn had ended for want of that */
};

/* ---- action.c ---- */

/* As ck_effect_sink has them. */
CK_CHECKED ck_status ck_action_ask(ck_action_question **out, ck_effect_sink *sink,
                                   const ck_action *action, ck_error *err);
void ck_action_forget(ck_effect_sink *sink, ck_action_question *question);

/* Tells its driver what has become of it, once; false: nothing yet, or nothing new. */
bool ck_action_tell(ck_call *self);
/* A person has answered it from elsewhere: a turn that had ended for want of that goes again. */
CK_CHECKED ck_status ck_action_go_again(ck_call *self, ck_error *err);
/* The turn has ended for want of an answer; it goes again if there is one by now. */
CK_CHECKED ck_status ck_action_resume_turn(ck_call *of, ck_error *err);

/* ---- action_record.c ---- */

/* Nothing stands against it: recorded, and the agent is told once that is durable. */
CK_CHECKED ck_status ck_action_allow(ck_call *self, ck_error *err);

/* ---- action_state.c ---- */

/* The call whose agent wants it. */
const ck_call *ck_action_of(const ck_call *self);
/* The prompt has come to something: nobody needs an answer to what was asked in its turn. */
CK_CHECKED ck_status ck_action_close_questions(const ck_call *of, ck_error *err);
/* What people have answered about what the interrupted turn wanted, and nobody has told the agent,
 * becomes the member "answers" of `interrupted`: [{title?, kind?, answer: "allow" | "deny"}]. */
CK_CHECKED ck_status ck_action_add_answers(ck_value **interrupted, const ck_call *of,
                                           ck_error *err);
void ck_action_free(ck_action_question *self);

#endif
