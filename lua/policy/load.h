/* load.h - one loaded policy: its own VM, its hooks and options. */
#ifndef CK_LUA_POLICY_LOAD_H
#define CK_LUA_POLICY_LOAD_H

#include "core/base/digest.h"
#include "core/model/profile.h"
#include "core/model/script.h"
#include "lua/policy/hooks.h"
#include "lua/policy/policy.h"
#include "lua/vm/vm.h"

enum { POLICY_NAME_SIZE = 65 };
/* Of a list that has two of one name: %s the name, %zu the place of the first, from 1. */
#define CK_POLICY_TWICE                                                                     \
  "the list has a policy %s already, number %zu: name it once, or save another text of it " \
  "under a name of its own"

typedef struct loaded_policy {
  ck_vm *vm;
  char name[POLICY_NAME_SIZE];
  int64_t version;
  ck_digest digest;
  bool has_options;             /* the profile sets some */
  ck_digest options_digest;     /* of these */
  ck_value *set;                /* these, a JSON object; NULL: none. Owned */
  char *path;                   /* of its file; NULL: shipped. Owned */
  char file[LUA_IDSIZE];        /* as errors show it */
  int hooks[POLICY_HOOK_COUNT]; /* references in the VM's registry; LUA_NOREF: not defined */
  int lines[POLICY_HOOK_COUNT]; /* where each begins */
  int options;                  /* reference: read-only table */
  ck_value *ranges;             /* JSON, see ranges.h; NULL: none */
  ck_buffer reason; /* how a reason of its begins in a record: {"policy":…,"version":…,"reason": */
  int views[CK_VIEW_COUNT]; /* references: the subjects of its hooks */
  ck_view_slot slots[CK_VIEW_COUNT];
  int resumed_view; /* of the checkpoint that a resume goes on from */
  ck_view_slot resumed;
  char *agent;     /* the agent whose own policy it is; NULL: of the profile */
  bool of_run;     /* of one run alone */
  bool shipped;    /* with the program */
  size_t replaces; /* position in the list of the policy that it replaces; SIZE_MAX: none */
} loaded_policy;

/* `scripts` as ck_source_read_for. `self` must not move afterwards. On failure it is empty. */
CK_CHECKED ck_status ck_policy_load(loaded_policy *self, const ck_profile_policy *from,
                                    ck_scripts *scripts, ck_error *err);
/* The same with a function for its text, as the global __ck_probe: of(number, value) with `of` as
 * its upvalue. It has PROBED_TIMES the budget. */
typedef struct policy_probe {
  lua_CFunction call;
  void *of;
} policy_probe;
enum { PROBED_TIMES = 20 };
CK_CHECKED ck_status ck_policy_load_probed(loaded_policy *self, const ck_profile_policy *from,
                                           ck_scripts *scripts, const policy_probe *probe,
                                           ck_error *err);
/* CK_E_PARSE when it has a hook that is the session's, and so cannot stand in an agent's list. */
CK_CHECKED ck_status ck_policy_check_agent(const loaded_policy *self, ck_error *err);
void ck_policy_clear(loaded_policy *self);
/* Its effective options as a JSON object. */
CK_CHECKED ck_status ck_policy_get_options(ck_value **out, loaded_policy *self, ck_error *err);

#endif
