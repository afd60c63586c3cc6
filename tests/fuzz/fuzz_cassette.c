/* fuzz_cassette.c - a recorded trajectory: any file is taken, or refused with a reason. */
#include "core/effect/cassette/cassette.h"
#include "tests/fuzz/fuzz.h"

void fuzz_cassette(ck_bytes input) {
  ck_cassette *cassette = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_cassette_open(&cassette, fuzz_file(input, "cassette.jsonl"), &err);
  fuzz_must((status == CK_OK) == (cassette != NULL), "it is there, or refused");
  fuzz_must(status == CK_OK || *err.text, "a refusal says why");
  ck_cassette_close(cassette);
}
