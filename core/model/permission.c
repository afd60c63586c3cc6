/* permission.c - finds the rule for a kind of tool. */
#include "core/model/permission.h"

#include <string.h>

ck_permit ck_permissions_find(const ck_permissions *self, const char *kind) {
  ck_permit rule = CK_PERMIT_UNSET;
#define X(member, name) \
  if (strcmp(kind, name) == 0) rule = self->member;
  CK_TOOL_KIND_TABLE(X)
#undef X
  return rule == CK_PERMIT_UNSET ? self->any : rule;
}

ck_permit ck_permissions_get(const ck_permissions *self, const char *kind) {
  ck_permit rule = ck_permissions_find(self, kind);
  return rule == CK_PERMIT_UNSET ? CK_PERMIT_REJECT : rule;
}
