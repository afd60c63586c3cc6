/* fnv.h - the 64-bit FNV-1a hash (Fowler, Noll, Vo): for tables whose keys no attacker chooses. */
#ifndef CK_BASE_FNV_H
#define CK_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define CK_FNV_BEGIN UINT64_C(14695981039346656037)
/* The hash of what `hash` is of, followed by these bytes. */
uint64_t ck_fnv_add(uint64_t hash, const void *bytes, size_t count);

#endif
