/* version.c - the version of the library that was linked. */
#include "core/base/version.h"

const char *ck_version(void) { return CK_VERSION; }
