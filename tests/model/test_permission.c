/* test_permission.c - rules for kinds of tools: what is not allowed is rejected. */
#include "core/model/permission.h"
#include "tests/tap.h"

int main(void) {
  ck_permissions none = {0};
  tap_is_int(ck_permissions_get(&none, "read"), CK_PERMIT_REJECT,
             "without a word everything is rejected");
  tap_is_int(ck_permissions_get(&none, "format_disk"), CK_PERMIT_REJECT,
             "also what nobody has heard of");
  ck_permissions some = {.any = CK_PERMIT_ASK,
                         .read = CK_PERMIT_ALLOW,
                         .remove = CK_PERMIT_REJECT,
                         .other = CK_PERMIT_ALLOW};
  tap_is_int(ck_permissions_get(&some, "read"), CK_PERMIT_ALLOW, "a kind has its own rule");
  tap_is_int(ck_permissions_get(&some, "delete"), CK_PERMIT_REJECT,
             "also one that is stricter than the rest");
  tap_is_int(ck_permissions_get(&some, "edit"), CK_PERMIT_ASK, "or that of the rest");
  tap_is_int(ck_permissions_get(&some, "Read"), CK_PERMIT_ASK, "names are exact");
  tap_is_int(ck_permissions_get(&some, "format_disk"), CK_PERMIT_ASK,
             "a kind that is not known is not \"other\"");
  tap_is_int(ck_permissions_get(&some, "*"), CK_PERMIT_ASK, "nor can one call itself all");
  return tap_done();
}
