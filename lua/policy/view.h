/* view.h - what policies see of the core's structs: read-only, read at each access, void after the
 * call.
 *
 * A view is made once and shows whatever its slot holds at the moment; one of a list belongs to
 * the call that made it. The fields of each kind are in view_fields.c; lua/ck/meta.lua and the
 * tables of policies/README.md are generated from both. */
#ifndef CK_LUA_POLICY_VIEW_H
#define CK_LUA_POLICY_VIEW_H

#include <lua.h>

#include "core/runtime/session/policy.h"

/* X(enumerator, name in messages, class in annotations, struct that it reads, children, meaning):
 * children are the next kinds, on the same slot. */
/* clang-format off */
#define CK_VIEW_TABLE(X) \
  X(CK_VIEW_AT, "at", "ck.Boundary", ck_boundary, 3, \
    "A place where a checkpoint may be taken. Read-only; void after the call.") \
  X(CK_VIEW_SINCE, "at.since", "ck.Since", ck_boundary, 0, \
    "What happened since the last checkpoint, or the start.") \
  X(CK_VIEW_NEXT, "at.next", "ck.Next", ck_boundary, 0, \
    "What comes next, as far as the flow knows.") \
  X(CK_VIEW_BUDGET, "at.budget", "ck.Budget", ck_boundary, 0, \
    "The session's budget, in dollars.") \
  X(CK_VIEW_CHECKPOINT, "checkpoint", "ck.Checkpoint", ck_checkpoint_info, 0, \
    "A checkpoint, without its state.") \
  X(CK_VIEW_ITEM, "item", "ck.Item", ck_item, 0, \
    "Something on its way to the store: a key of the state, or the body of an event.") \
  X(CK_VIEW_SESSION, "session", "ck.Session", ck_resume_case, 2, \
    "A session that is about to be resumed.") \
  X(CK_VIEW_SESSION_BUDGET, "session.budget", "ck.SessionBudget", ck_resume_case, 0, \
    "What is left of a session's budget before the rules, in dollars.") \
  X(CK_VIEW_SESSION_HOST, "session.host", "ck.Host", ck_resume_case, 0, \
    "The machine that a session is resumed on.") \
  X(CK_VIEW_EVENT, "event", "ck.Event", ck_event, 0, \
    "An event of the transcript.") \
  X(CK_VIEW_FAILURE, "failure", "ck.Failure", ck_failure, 0, \
    "An effect that could not be carried out.") \
  X(CK_VIEW_EFFECT, "effect", "ck.Effect", ck_effect, 0, \
    "An effect that is about to begin, or that was begun and whose outcome is not known.")
/* clang-format on */

typedef enum {
#define X(name, ...) name,
  CK_VIEW_TABLE(X)
#undef X
      CK_VIEW_COUNT
} ck_view_kind;

/* Counted by the engine; fields of a boundary's view beside those of the boundary. */
typedef struct ck_view_counts {
  int64_t boundaries, iterations; /* since the last checkpoint, this one included */
  int64_t last_checkpoint;        /* its seq, as the boundaries tell it */
} ck_view_counts;
/* Each boundary in turn, from the first one of a session. */
void ck_view_count(ck_view_counts *self, const ck_boundary *at);
/* Where there is none: `permit` is told them with the place. */
ck_view_counts ck_view_counts_between(const ck_boundary *at);

/* Fields that whoever asks cannot tell as they were: "effect.request", or a whole view, "at.since".
 */
typedef struct ck_view_watch {
  const char *const *fields; /* ends with NULL; NULL: none */
  const char **read;         /* becomes the first of them that a policy looks at */
} ck_view_watch;

/* Belongs to one policy and outlives its state. */
typedef struct ck_view_slot {
  const void *subject; /* NULL: the views on it are void. An array for CK_VIEW_CHECKPOINT */
  uint64_t call;       /* rises with each call */
  int64_t now_ms;      /* of CK_VIEW_CHECKPOINT: what their age is counted to */
  size_t count;        /* of the array */
  bool made;           /* its view is kept */
  ck_view_counts counts;
  const ck_view_watch *watch; /* NULL: nothing is watched */
} ck_view_slot;

/* Functions below that take a lua_State raise. */

/* Pushes a view of `slot`'s subject; a read while there is none raises "only valid during the
 * call". */
void ck_view_push(lua_State *L, ck_view_kind kind, const ck_view_slot *slot);
/* Pushes a view of element `index` of the slot's array, void once slot->call has moved on. */
void ck_view_push_element(lua_State *L, ck_view_kind kind, const ck_view_slot *slot, size_t index);
/* Pushes a table with views of the first `count` elements. */
void ck_view_push_elements(lua_State *L, ck_view_kind kind, const ck_view_slot *slot, size_t count);
/* Raises unless `call` is the one that the slot has a subject of. */
void ck_view_check_call(lua_State *L, const ck_view_slot *slot, uint64_t call);
/* Which view the value at `index` is; false: none. */
bool ck_view_get_kind(ck_view_kind *kind, lua_State *L, int index);

#endif
