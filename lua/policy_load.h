/* policy_load.h - one loaded policy: its own VM, its hooks and options. For policy.c and policy_load.c only. */
#ifndef CK_LUA_POLICY_LOAD_H
#define CK_LUA_POLICY_LOAD_H

#include "core/base/digest.h"
#include "core/model/profile.h"
#include "lua/policy.h"
#include "lua/vm.h"

typedef enum {
#define X(name, carried) POLICY_##name,
  CK_POLICY_HOOK_TABLE(X)
#undef X
  POLICY_HOOK_COUNT
} policy_hook;

enum { POLICY_NAME_SIZE = 65 };

typedef struct loaded_policy {
  ck_vm *vm;
  char name[POLICY_NAME_SIZE];
  int64_t version;
  ck_digest digest;
  int hooks[POLICY_HOOK_COUNT]; /* references in the VM's registry; LUA_NOREF: not defined */
  int options;                  /* reference: read-only table */
  int view;                     /* reference: the view of `at` */
  const ck_boundary *at;        /* what the view shows; NULL outside calls */
} loaded_policy;

/* `self` must not move afterwards. On failure it is empty. */
CK_CHECKED ck_status policy_load(loaded_policy *self, const ck_profile_policy *from, ck_error *err);
void policy_clear(loaded_policy *self);

#endif
