/* sources.h - the sources that are not trusted whose content has come somewhere: names of tools,
 * MCP servers and agents, sorted, each once. */
#ifndef CK_MODEL_SOURCES_H
#define CK_MODEL_SOURCES_H

#include "core/model/value.h"

/* The member of an event's body, of a question and of a position that holds them. */
#define CK_SOURCES_MEMBER "untrusted"

/* Adds the names of `more`, a JSON array as made here (anything else: none), to *self, a JSON
 * array; NULL in *self: none. */
CK_CHECKED ck_status ck_sources_add(ck_value **self, ck_bytes more, ck_error *err);
/* Adds one. */
CK_CHECKED ck_status ck_sources_add_name(ck_value **self, const char *name, ck_error *err);
/* Adds those of the object's member. */
CK_CHECKED ck_status ck_sources_add_member(ck_value **self, ck_bytes object, ck_error *err);
/* No bytes: none. */
ck_bytes ck_sources_bytes(const ck_value *self);
/* Writes the member; nothing where there are none. */
void ck_sources_write(ck_json_writer *w, ck_bytes sources);

#endif
