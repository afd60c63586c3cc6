/* actors.h - who acts in a scope, for messages that were written before they named their agent. */
#ifndef CK_RUNTIME_SESSION_TAIL_ACTORS_H
#define CK_RUNTIME_SESSION_TAIL_ACTORS_H

#include "core/runtime/session/tail/abandoned.h"
#include "core/store/store.h"

/* The scopes that are asked about. Zero-initialise; ck_actors_clear always. */
typedef struct ck_actors {
  struct ck_actor *list; /* owned */
  size_t count;
} ck_actors;
void ck_actors_clear(ck_actors *self);

/* Asks about a scope; one that is there already is no second. */
CK_CHECKED ck_status ck_actors_add(ck_actors *self, const char *scope, ck_error *err);
/* Finds the agents of all that were added, from the boundaries, intents, outcomes and messages of
 * the session up to `until` (0: no bound) in `view` (NULL: every timeline), but for the messages
 * that `abandoned` has (NULL: none). */
CK_CHECKED ck_status ck_actors_read(ck_actors *self, ck_store *store, int64_t session,
                                    const ck_view *view, int64_t until,
                                    const ck_abandoned *abandoned, ck_error *err);
/* The one agent that all boundaries of the scope name, whose it is; where none names one, the one
 * that all of its effects and messages name. Borrowed; NULL: nobody, or several, or a model was
 * asked for nobody, too: what it was told then is nobody's. */
const char *ck_actors_get(const ck_actors *self, const char *scope);

#endif
