/* fuzz_checkpoint.c - a run checkpoint of somebody else: it is read, or refused with a reason, and
 * what was read lies within it. */
#include "core/runtime/portable/run_checkpoint.h"
#include "tests/fuzz/fuzz.h"

static void must_lie_in(ck_bytes part, ck_bytes whole) {
  fuzz_must(
      part.len == 0 || (part.data >= whole.data && part.data + part.len <= whole.data + whole.len &&
                        ck_json_type_of(part) != CK_JSON_NONE),
      "a part is a value of the document");
}

void fuzz_checkpoint(ck_bytes input) {
  ck_run_checkpoint read;
  ck_error err = CK_ERROR_INIT;
  if (ck_json_check(input, NULL) != CK_OK) return;
  bool means_to = ck_run_checkpoint_is(input);
  ck_status status = ck_run_checkpoint_read(&read, input, &err);
  fuzz_must(status == CK_OK || *err.text, "a refusal says why");
  if (status != CK_OK) return;
  fuzz_must(means_to, "what is read as one means to be one");
  fuzz_must(ck_json_type_of(read.history) == CK_JSON_ARRAY, "its history is a list");
  fuzz_must(read.last_completed >= 0 && read.last_completed <= CK_RUN_CHECKPOINT_ITERATIONS_MAX,
            "its last iteration is one");
  must_lie_in(read.run, input);
  must_lie_in(read.history, input);
  must_lie_in(read.input, input);
  must_lie_in(read.failure, input);
  must_lie_in(read.extension, input);
  ck_run_checkpoint_turn(&read, NULL);
}
