/* shrink.h - a history that fails, made short; and scripts as files. */
#ifndef CK_TESTS_WORLDS_SHRINK_H
#define CK_TESTS_WORLDS_SHRINK_H

#include <stdio.h>

#include "tests/worlds/chance.h"

/* Takes decisions out of the script, and makes the others smaller, as long as its history fails
 * (`fails` lives it). At most `tries` histories are lived. */
void shrink(chance_script *script, bool (*fails)(const chance_script *script), int tries);

/* A line for each decision: KIND NUMBER VALUE. Lines that begin with '#' are remarks. */
void script_print(FILE *out, const chance_script *script);
/* Ends the program when a line is none of a script. The caller frees the list. */
void script_read(chance_script *out, const char *path);

#endif
