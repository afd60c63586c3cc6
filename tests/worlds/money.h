/* money.h - what the session and each of its agents pay for calls of models, counted outside. */
#ifndef CK_TESTS_WORLDS_MONEY_H
#define CK_TESTS_WORLDS_MONEY_H

#include "tests/worlds/world.h"

/* Some calls are made for this agent, by whatever scope: both pay. */
#define MONEY_HELPER "help"
bool money_helps(const char *key);

/* Adds what became of the call with this key for all who pay it. */
void money_add(world_model *self, const char *key, const world_purse *more);

/* At the beginning; then room for a call, whatever was lost. */
void money_set_limits(world *self);
void money_raise_limits(world *self);
/* What was paid, lost and is under way, with this call, is within everyone's limit. */
void money_check_limits(world *self, const world_process *process, const char *key);
/* At the end of a session, whose state that is. */
void money_check_end(world_model *self, const ck_head *head, const ck_state *state);

#endif
