/* fnv.c - the 64-bit FNV-1a hash. */
#include "core/base/fnv.h"

uint64_t ck_fnv_add(uint64_t hash, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
  return hash;
}
