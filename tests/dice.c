/* dice.c - splitmix64. */
#include "tests/dice.h"

#include <stdlib.h>

uint64_t dice_pick(test_dice *self, uint64_t below) {
  uint64_t z = self->state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (z ^ z >> 31) % below;
}

uint64_t dice_number(const char *name, uint64_t otherwise) {
  const char *given = getenv(name);
  return given && *given ? strtoull(given, NULL, 10) : otherwise;
}
