/* permission.h - the permissions of agents: a rule for each kind of tool. */
#ifndef CK_MODEL_PERMISSION_H
#define CK_MODEL_PERMISSION_H

/* The answer to an agent that requests a permission. */
typedef enum {
  CK_PERMIT_UNSET, /* no rule for that kind: the rule for "*" */
  CK_PERMIT_REJECT,
  CK_PERMIT_ALLOW, /* this once */
  CK_PERMIT_ASK    /* a person */
} ck_permit;

/* X(member, name): the kinds of tools of the Agent Client Protocol, version 1. */
/* clang-format off */
#define CK_TOOL_KIND_TABLE(X) \
  X(read, "read") \
  X(edit, "edit") \
  X(remove, "delete") \
  X(move, "move") \
  X(search, "search") \
  X(execute, "execute") \
  X(think, "think") \
  X(fetch, "fetch") \
  X(switch_mode, "switch_mode") \
  X(other, "other")
/* clang-format on */

/* Zero: everything is rejected. */
typedef struct ck_permissions {
#define X(member, name) ck_permit member;
  CK_TOOL_KIND_TABLE(X)
#undef X
  ck_permit any; /* "*": for all kinds without a rule */
} ck_permissions;

/* The rule for tools of that kind, which may be missing from the table; CK_PERMIT_UNSET: there is
 * none. */
ck_permit ck_permissions_find(const ck_permissions *self, const char *kind);
/* Where nobody but the rules decides; never CK_PERMIT_UNSET. */
ck_permit ck_permissions_get(const ck_permissions *self, const char *kind);

#endif
