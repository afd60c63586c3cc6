/* test_keep_tiers.c - all of the last hour, one an hour for a day, one a day from then on. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

#define MINUTE(n) ((n)*INT64_C(60000))
#define DAY(n) ((n)*INT64_C(86400000))
#define AT(ms) \
  { .created_ms = (ms) }

static const policy_prune_case rows[] = {
    {NULL,
     DAY(10),
     {AT(DAY(10) - MINUTE(50)), AT(DAY(10) - MINUTE(40)), AT(DAY(10) - MINUTE(1))},
     "..."},
    /* The newest of each hour. */
    {NULL,
     DAY(10),
     {AT(DAY(10) - MINUTE(179)), AT(DAY(10) - MINUTE(130)), AT(DAY(10) - MINUTE(119)),
      AT(DAY(10) - MINUTE(61))},
     "d.d."},
    /* The newest of each day. */
    {NULL,
     DAY(10),
     {AT(DAY(5)), AT(DAY(5) + MINUTE(60)), AT(DAY(6)), AT(DAY(7) + MINUTE(1)),
      AT(DAY(7) + MINUTE(600))},
     "d..d."},
    /* An hour that reaches into the last one is stood for by its newest; a day by what is kept by
     * the hour. */
    {NULL,
     DAY(10) + MINUTE(90),
     {AT(DAY(10) + MINUTE(20)), AT(DAY(10) + MINUTE(50)), AT(DAY(10) + MINUTE(80))},
     "d.."},
    {NULL,
     DAY(10) + MINUTE(600),
     {AT(DAY(9) + MINUTE(100)), AT(DAY(9) + MINUTE(700)), AT(DAY(10) + MINUTE(1))},
     "d.."},
    /* A clock that went back: from the future is young. */
    {NULL, DAY(10), {AT(DAY(11)), AT(DAY(11) + 1), AT(DAY(10) - 1)}, "..."},
    {"{\"all_s\":60,\"hourly_s\":3600,\"protect\":true}",
     DAY(10),
     {AT(DAY(3)), AT(DAY(3) + 1), AT(DAY(10) - MINUTE(30)), AT(DAY(10) - MINUTE(20)),
      AT(DAY(10) - 1)},
     "dkddk"},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_prune("keep_tiers", &rows[i]);
  return tap_done();
}
