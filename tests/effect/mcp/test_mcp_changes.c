/* test_mcp_changes.c - servers whose tools become others, as the driver has them: the next outcome
 * of a call says so, until they are listed again. */
#include <stdio.h>
#include <string.h>

#include "tests/effect/mcp/mcp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;
static char path[300];

static void begin(mcp_fixture *it, const char *era) {
  mcp_fixture_begin(it, NULL, NULL);
  snprintf(path, sizeof path, "%s/log", tap_tmpdir());
  it->argv[0] = "perl";
  it->argv[1] = "tests/effect/mcp/changing_server.pl";
  it->argv[2] = era;
  it->argv[3] = path;
  it->argv[4] = NULL;
  mcp_fixture_open(it);
}

static bool changed(mcp_fixture *it, const char *tool, const char *arguments) {
  return mcp_fixture_call(it, CK_EFFECT_PURE, tool, arguments)->tools_changed;
}

static const char *list(mcp_fixture *it) {
  const ck_outcome *outcome = mcp_fixture_call(it, CK_EFFECT_PURE, NULL, NULL);
  tap_ok(!outcome->tools_changed, "a list says nothing of changes");
  return outcome->result ? ck_value_bytes(outcome->result).data : "";
}

static void test_era(const char *era) {
  mcp_fixture it;
  begin(&it, era);
  tap_ok(!changed(&it, "old", "{}"), "%s: nothing has changed", era);
  tap_ok(changed(&it, "grow", "{\"times\":3}"), "%s: the call says that they have", era);
  tap_ok(changed(&it, "new", "{}"), "%s: and each further one", era);
  tap_ok(strstr(list(&it), "\"new\"") != NULL, "%s: until they are listed", era);
  tap_ok(!changed(&it, "new", "{}"), "%s: then nothing has", era);
  tap_ok(!changed(&it, "grow", "{\"when\":\"never\"}"), "%s: what it does not say is not heard",
         era);
  mcp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_era("older");
  test_era("modern");
  ck_loop_free(loop);
  return tap_done();
}
