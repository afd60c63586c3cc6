/* dice.h - numbers by chance for a test, from a seed: the same ones each time. rand() does not give
 * them: libuuid, which makes the ids of runs, sets its seed anew by the time of day. */
#ifndef CK_TESTS_DICE_H
#define CK_TESTS_DICE_H

#include <stdint.h>

/* {seed} */
typedef struct test_dice {
  uint64_t state;
} test_dice;
/* 0 to below - 1. */
uint64_t dice_pick(test_dice *self, uint64_t below);
/* What the environment's variable `name` says; `otherwise` without it. */
uint64_t dice_number(const char *name, uint64_t otherwise);

#endif
