/* cover.h - what histories have come through, counted by name. */
#ifndef CK_TESTS_WORLDS_COVER_H
#define CK_TESTS_WORLDS_COVER_H

#include "tests/tap.h"

/* Counts a thing by its name, of at most 79 bytes. */
void cover(const char *format, ...) CK_TAP_FORMAT(1);
void cover_add(const char *name, uint64_t count);
uint64_t cover_get(const char *name);
/* One line for each thing, by name. */
void cover_show(void);
/* Adds the counts to those in the file, which is made when it is not there. */
void cover_save(const char *path);

#endif
