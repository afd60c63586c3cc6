/* test_reserve.c - memory kept back: held, used once, made anew, told when it is short. */
#include "core/base/reserve.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/base/shortage.h"
#include "tests/tap.h"

static bool has(size_t size) {
  void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block != MAP_FAILED && munmap(block, size) == 0;
}

/* Nothing more can be mapped from now on. False: not here. */
static bool allow_nothing(void) {
  struct rlimit now, none = {.rlim_cur = 0};
  if (getrlimit(RLIMIT_AS, &now) != 0) return false;
  none.rlim_max = now.rlim_max;
  return setrlimit(RLIMIT_AS, &none) == 0 && !has(4096);
}

static void allow_all(void) {
  struct rlimit now;
  tap_must(getrlimit(RLIMIT_AS, &now) == 0, "the limit");
  now.rlim_cur = now.rlim_max;
  tap_must(setrlimit(RLIMIT_AS, &now) == 0, "is lifted");
}

static void test_held(void) {
  ck_error err = CK_ERROR_INIT;
  tap_ok(!ck_reserve_is_used() && !ck_reserve_use(), "without a holder there is none");
  tap_is_status(ck_reserve_hold(&err), CK_OK, &err, "it is held");
  tap_is_status(ck_reserve_hold(&err), CK_OK, &err, "by two");
  tap_ok(!ck_reserve_is_used(), "and not used");
  tap_ok(ck_reserve_use(), "it is used");
  tap_ok(!ck_reserve_use(), "once");
  tap_ok(ck_reserve_is_used(), "which is known");
  ck_reserve_drop();
  tap_ok(ck_reserve_is_used(), "to who is left");
  tap_is_status(ck_reserve_hold(&err), CK_OK, &err, "another one holds it");
  tap_ok(!ck_reserve_is_used(), "it is there again");
  ck_reserve_drop();
  ck_reserve_drop();
  tap_ok(!ck_reserve_is_used() && !ck_reserve_use(), "nobody holds it any more");
}

static void test_short(void) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_reserve_hold(&err), CK_OK, &err, "it is held");
  if (!allow_nothing()) {
    ck_reserve_drop();
    return;
  }
  bool used = ck_reserve_is_used(), more = ck_reserve_use();
  ck_status refused = ck_reserve_hold(&err);
  bool still = ck_reserve_is_used();
  ck_reserve_drop();
  allow_all();
  tap_ok(used, "with nothing beside it, it is given up before an allocation fails");
  tap_ok(!more, "and there is no more");
  tap_is_status(refused, CK_E_NO_MEMORY, NULL, "nobody can hold it then");
  tap_ok(strstr(err.text, "'ulimit -v'") != NULL, "the remedy is named: %s", err.text);
  tap_ok(still, "who holds it already knows");
  tap_ok(!ck_reserve_is_used(), "after the last one nobody asks");
}

int main(void) {
  test_held();
  test_short();
  return tap_done();
}
