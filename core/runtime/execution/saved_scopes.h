/* saved_scopes.h - the scopes that a session's state holds and that are not open, by parent.
 *
 * A checkpoint can hold any number of scopes, so the state is listed once, and what a scope or its
 * parent needs of it is found here. A scope that is opened leaves the index; one that is set aside,
 * with all below it, enters it. */
#ifndef CK_RUNTIME_EXECUTION_SAVED_SCOPES_H
#define CK_RUNTIME_EXECUTION_SAVED_SCOPES_H

#include "core/base/map.h"
#include "core/model/state.h"

typedef struct ck_execution ck_execution;

/* Valid until it is taken, or the index cleared. */
typedef struct ck_saved_scope {
  char *scope;
  struct ck_saved_scope *parent; /* NULL: not saved itself, only the parent of some that are */
  struct ck_saved_scope *child, *last_child; /* those saved below it, by next */
  struct ck_saved_scope *next, *previous;    /* of the same parent */
  ck_state *written;                         /* its overlay, by key; NULL: it wrote nothing */
} ck_saved_scope;

/* Zero-initialise. */
typedef struct ck_saved_scopes {
  bool is_kept; /* false: the state holds no scope that is not open */
  ck_map by_scope;
} ck_saved_scopes;

/* From now on the index is kept: reads the state, unless it was kept before. */
CK_CHECKED ck_status ck_saved_scopes_keep(ck_execution *execution, ck_error *err);
/* Nothing is kept any more. */
void ck_saved_scopes_clear(ck_saved_scopes *self);

/* The first that is saved below `parent`; NULL: none is. After a resume they are in byte order of
 * their names. */
ck_saved_scope *ck_saved_scopes_first(const ck_saved_scopes *self, const char *parent);
/* A scope is saved, and not open any more. Takes `*written`. */
CK_CHECKED ck_status ck_saved_scopes_add(ck_saved_scopes *self, const char *scope,
                                         const char *parent, ck_state **written, ck_error *err);
/* The scope is open, or gone: what it wrote becomes the caller's; NULL: nothing. Those below it
 * stay. */
ck_state *ck_saved_scopes_take(ck_saved_scopes *self, const char *scope);

#endif
