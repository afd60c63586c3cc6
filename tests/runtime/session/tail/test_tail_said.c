/* test_tail_said.c - what is kept of who said what of which event: by what was said, sorted, the
 * newest, and how many older ones are not in it. */
#include <string.h>

#include "core/runtime/session/tail/tail_said.h"
#include "tests/tap.h"

static void add(ck_tail_said *self, int64_t seq, uint64_t in, uint64_t out) {
  ck_answers said = {.hook = CK_HOOK_TAIL, .took_us = 2};
  said.policies[CK_ANSWER_IN] = in;
  said.policies[CK_ANSWER_OUT] = out;
  tap_must(ck_tail_said_add(self, seq, &said, NULL) == CK_OK, "an event");
}

static void test_groups(void) {
  ck_tail_said said = {0};
  ck_value *got = NULL;
  tap_is_status(ck_tail_said_write(&got, &said, "ann", NULL), CK_OK, NULL, "nobody was asked");
  tap_ok(got == NULL, "and nothing is kept");
  add(&said, 9, 3, 0);
  add(&said, 4, 1, 2);
  add(&said, 7, 3, 0);
  add(&said, 5, 0, 1);
  tap_is_status(ck_tail_said_write(&got, &said, "ann", NULL), CK_OK, NULL, "of four events");
  tap_is_bytes(ck_value_bytes(got),
               ck_bytes_text("{\"agent\":\"ann\",\"said\":[{\"events\":[4],\"in\":[0],\"out\":[1]},"
                             "{\"events\":[5],\"out\":[0]},{\"events\":[7,9],\"in\":[0,1]}]}"),
               "those of whom the same was said are together");
  tap_is_int(said.all.took_us, 8, "the time is that of all");
  ck_value_free(got);
  ck_tail_said_reset(&said);
  add(&said, 1, 1, 0);
  tap_is_int((int64_t)said.all.policies[CK_ANSWER_OUT], 0, "asked anew, nothing stays");
  ck_tail_said_clear(&said);
}

static void test_many(void) {
  ck_tail_said said = {0};
  ck_value *got;
  for (int64_t seq = 300; seq > 0; seq--) add(&said, seq, 1, 0);
  tap_is_status(ck_tail_said_write(&got, &said, "ann", NULL), CK_OK, NULL, "of 300 events");
  ck_bytes group = ck_json_get(ck_value_bytes(got), "said"), more;
  ck_json_iterator it = ck_json_iterate(group);
  tap_must(ck_json_next(&it), "a group");
  ck_bytes events = ck_json_get(it.value, "events");
  tap_is_int((int64_t)ck_json_count(events), CK_TAIL_SAID_MAX, "the newest 256 are kept");
  tap_ok(events.len > 4 && memcmp(events.data, "[45,", 4) == 0, "from the 45th on");
  more = ck_json_get(ck_value_bytes(got), "more");
  tap_is_bytes(more, ck_bytes_text("44"), "and it says of how many it does not");
  ck_value_free(got);
  ck_tail_said_clear(&said);
}

int main(void) {
  test_groups();
  test_many();
  return tap_done();
}
