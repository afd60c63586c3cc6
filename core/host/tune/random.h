/* random.h - numbers that a seed determines. */
#ifndef CK_HOST_TUNE_RANDOM_H
#define CK_HOST_TUNE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014): 64 bits, and the state moves on. */
static inline uint64_t ck_tune_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* From 0, below 1. */
static inline double ck_tune_random_real(uint64_t *state) {
  return (double)(ck_tune_random(state) >> 11) * 0x1p-53;
}

/* From 0, below `count`, which is small. */
static inline size_t ck_tune_random_index(uint64_t *state, size_t count) {
  return (size_t)(ck_tune_random(state) % count);
}

#endif
