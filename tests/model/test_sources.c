/* test_sources.c - names of sources are joined sorted, each once. */
#include "core/model/sources.h"
#include "tests/tap.h"

static void joins(const char *first, const char *second, const char *both) {
  ck_value *sources = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_sources_add(&sources, ck_bytes_text(first), &err), CK_OK, &err, "%s", first);
  tap_is_status(ck_sources_add(&sources, ck_bytes_text(second), &err), CK_OK, &err, "and %s",
                second);
  tap_is_bytes(ck_sources_bytes(sources), ck_bytes_text(both), "are together");
  ck_value_free(sources);
}

int main(void) {
  joins("", "", "");
  joins("[]", "null", "");
  joins("[\"web\"]", "", "[\"web\"]");
  joins("", "[\"web\"]", "[\"web\"]");
  joins("[\"web\"]", "[\"web\"]", "[\"web\"]");
  joins("[\"web\"]", "[\"box\"]", "[\"box\",\"web\"]");
  joins("[\"a\",\"c\",\"e\"]", "[\"b\",\"c\",\"d\"]", "[\"a\",\"b\",\"c\",\"d\",\"e\"]");

  ck_value *sources = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_sources_add_name(&sources, "the \"web\"", &err), CK_OK, &err, "a name");
  tap_is_status(ck_sources_add_member(&sources, ck_bytes_text("{\"untrusted\":[\"box\"]}"), &err),
                CK_OK, &err, "and those of a member");
  tap_is_status(ck_sources_add_member(&sources, ck_bytes_text("{\"x\":[\"y\"]}"), &err), CK_OK,
                &err, "and of an object without it");
  tap_is_bytes(ck_sources_bytes(sources), ck_bytes_text("[\"box\",\"the \\\"web\\\"\"]"),
               "are together");
  ck_value_free(sources);
  return tap_done();
}
