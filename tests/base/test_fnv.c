/* test_fnv.c - the hash is the one that its authors published, in however many parts it is fed. */
#include "core/base/fnv.h"

#include <string.h>

#include "tests/tap.h"

static void is_hash(const char *text, uint64_t want) {
  size_t len = strlen(text);
  for (size_t cut = 0; cut <= len; cut++) {
    uint64_t hash = ck_fnv_add(ck_fnv_add(CK_FNV_BEGIN, text, cut), text + cut, len - cut);
    tap_ok(hash == want, "\"%s\", cut at %zu", text, cut);
  }
}

/* Of the vectors that come with its specification. */
int main(void) {
  is_hash("", UINT64_C(0xcbf29ce484222325));
  is_hash("a", UINT64_C(0xaf63dc4c8601ec8c));
  is_hash("foobar", UINT64_C(0x85944171f73967e8));
  tap_ok(ck_fnv_add(CK_FNV_BEGIN, NULL, 0) == CK_FNV_BEGIN, "no bytes may be nowhere");
  tap_ok(ck_fnv_add(CK_FNV_BEGIN, "\xff", 1) == UINT64_C(0xaf64724c8602eb6e), "bytes have no sign");
  return tap_done();
}
