/* duration.c - an option's span of time, "250ms" or "2h", as milliseconds. */
#include "core/host/cli/duration.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct unit {
  const char *name;
  int64_t ms;
} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 60 * 60 * 1000}};

static const int64_t longest_ms = INT64_C(366) * 24 * 60 * 60 * 1000;

ck_status ck_duration_take(int64_t *ms, const char *what, const char *given, ck_error *err) {
  if (!given) return CK_OK;
  char *end = NULL;
  bool digits = given[0] >= '0' && given[0] <= '9' && strlen(given) < 16;
  long long number = digits ? strtoll(given, &end, 10) : 0;
  for (size_t i = 0; digits && i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0 && number <= longest_ms / units[i].ms) {
      *ms = number * units[i].ms;
      return CK_OK;
    }
  return ck_error_set(err, CK_E_USAGE, "%s: '%.100s' is no span of time: say 250ms, 10s, 2m or 1h",
                      what, given);
}
