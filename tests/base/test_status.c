/* test_status.c - every status has a name, a text and an exit code of the contract. */
#include <string.h>

#include "core/base/status.h"
#include "tests/tap.h"

static bool is_exit_of_contract(int code) {
  static const int codes[] = {0, 1, 2, 3, 4, 5, 7, 8, 74, 75, 76, 130};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (codes[i] == code) return true;
  }
  return false;
}

int main(void) {
  bool named = true, coded = true;
  for (int i = 0; i < CK_STATUS_COUNT; i++) {
    ck_status status = (ck_status)i;
    named = named && strncmp(ck_status_name(status), "CK_", 3) == 0 && *ck_status_text(status);
    coded = coded && is_exit_of_contract(ck_status_exit(status));
  }
  tap_ok(named, "every status has a name and a text");
  tap_ok(coded, "every status has an exit code of the contract");
  tap_is_text(ck_status_name(CK_E_FENCED), "CK_E_FENCED", "the name is the enumerator");
  tap_is_int(ck_status_exit(CK_E_FENCED), 76, "fenced exits with 76");
  tap_is_int(ck_status_exit(CK_OK), 0, "only ok exits with 0");
  tap_is_text(ck_status_name((ck_status)9999), "CK_E_?", "a number outside the table has a name");
  tap_is_text(ck_status_name((ck_status)-1), "CK_E_?", "a negative number has a name");
  tap_is_int(ck_status_exit((ck_status)-1), 1, "a number outside the table never exits with 0");
  return tap_done();
}
