/* test_known_faults.c - a version with a known fault is told, one without is not. */
#include <string.h>

#include "core/host/doctor/known_faults.h"
#include "tests/tap.h"

/* How many faults that version has; each is told with what upgrades it, and changes no exit code.
 */
static size_t faults_of(const char *library, const char *version) {
  ck_findings found = {0};
  bool told = true;
  ck_known_faults_add(&found, library, version);
  for (size_t i = 0; i < found.count; i++)
    told = told && found.list[i].status == CK_OK && found.list[i].remedy &&
           strstr(found.list[i].remedy, "apt-get install");
  tap_ok(told && !found.failed && ck_findings_worst(&found) == CK_OK, "%s %s", library, version);
  size_t count = found.count;
  ck_findings_clear(&found);
  return count;
}

static void tells_faults(void) {
  static const struct {
    const char *library, *version;
    size_t count;
  } cases[] = {
      {"SQLite", "3.39.1", 2}, {"SQLite", "3.39.2", 1}, {"SQLite", "3.44.5", 1},
      {"SQLite", "3.44.6", 0}, {"SQLite", "3.45.0", 1}, {"SQLite", "3.50.6", 1},
      {"SQLite", "3.50.7", 0}, {"SQLite", "3.51.2", 1}, {"SQLite", "3.51.3", 0},
      {"SQLite", "3.53.0", 0}, {"Lua", "5.4.0", 2},     {"Lua", "5.4.4", 1},
      {"Lua", "5.4.5", 0},     {"Lua", "5.4.8", 0},     {"Lua", "Lua 5.4.3 (x)", 2},
      {"SQLite", "", 0},       {"SQLite", "3", 0},      {"other", "1.0.0", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    tap_is_int((int64_t)faults_of(cases[i].library, cases[i].version), (int64_t)cases[i].count,
               "%s '%s'", cases[i].library, cases[i].version);
}

static void says_the_gravest(void) {
  ck_findings found = {0};
  ck_findings_add(&found, "session", CK_E_WAITING, "a", NULL, "waits");
  tap_ok(ck_findings_worst(&found) == CK_E_WAITING, "one that waits");
  ck_findings_add(&found, "session", CK_E_IN_DOUBT, "b", NULL, "in doubt");
  ck_findings_add(&found, "file", CK_E_PENDING, "c", NULL, "left");
  tap_ok(ck_findings_worst(&found) == CK_E_IN_DOUBT, "a doubt is graver, whatever comes behind it");
  ck_findings_add(&found, "store", CK_E_CORRUPT, "d", NULL, "damaged");
  tap_ok(ck_findings_worst(&found) == CK_E_CORRUPT, "a damaged store is graver than all");
  ck_findings_clear(&found);
}

int main(void) {
  tells_faults();
  says_the_gravest();
  return tap_done();
}
