/* lines.h - where a key stands in the text of a profile, for messages. */
#ifndef CK_LUA_PROFILE_LINES_H
#define CK_LUA_PROFILE_LINES_H

#include "core/base/buffer.h"

/* The line, from 1, of a key in the table that the text returns: "agents.ann.constraints.rounds",
 * "policies.[2].count". A profile that is put together by statements: the first line that gives a
 * field of the last name a value. 0: it stands nowhere. */
int ck_profile_line(ck_bytes text, const char *path);

#endif
