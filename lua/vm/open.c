/* open.c - a VM with the environment of scripts. */
#include "lua/vm/sandbox.h"

static int open_body(lua_State *L) {
  ck_sandbox_open(L);
  return 0;
}

ck_status ck_vm_new(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock, ck_error *err) {
  ck_status status = ck_vm_create(out, limits, clock, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(*out, open_body, NULL, err);
  if (status == CK_OK) return CK_OK;
  ck_vm_free(*out);
  *out = NULL;
  return status;
}
