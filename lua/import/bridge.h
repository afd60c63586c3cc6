/* bridge.h - what the files of this folder share: the file to import, its values in Lua, and the
 * facts that importers emit. */
#ifndef CK_LUA_IMPORT_BRIDGE_H
#define CK_LUA_IMPORT_BRIDGE_H

#include "lua/import/import.h"
#include "lua/vm/vm.h"

/* One file in memory. It lives longer than the VM whose values point into it. */
typedef struct ck_import_source {
  char *path;
  ck_buffer text;
  char digest[9];            /* of the bytes as they were, 8 hex digits */
  bool checked, is_document; /* the whole text is one JSON value */
  int64_t reported_until;    /* problems of lines up to here are reported */
  const ck_import_sink *sink;
} ck_import_source;

/* The sources of one file and its parts. */
typedef struct ck_import_files {
  ck_import_source **list;
  size_t count;
  bool parts_listed;
  const ck_import_sink *sink;
} ck_import_files;

/* ---- source.c ---- */
CK_CHECKED ck_status ck_import_source_open(ck_import_source **out, ck_import_files *files,
                                           const char *path, ck_error *err);
/* Opens the files in the folder that is named like the first file without its ending, one folder
 * deep, with the same ending. */
CK_CHECKED ck_status ck_import_source_open_parts(ck_import_files *files, ck_error *err);
void ck_import_files_clear(ck_import_files *self);
/* The whole text as one JSON value; no bytes when it is none, with the reason. */
ck_bytes ck_import_source_document(ck_import_source *self, ck_error *err);
/* The next line that is not empty: false at the end. `*json` has no bytes when the line is no JSON;
 * the problem is reported to the sink once. `*at` and `*number` begin at 0. */
bool ck_import_source_next(ck_bytes *json, ck_import_source *self, size_t *at, int64_t *number,
                           ck_error *problem);

/* Whether it is JSON that an event's body can hold. */
CK_CHECKED ck_status ck_import_source_check(ck_bytes json, ck_error *err);

/* ---- value.c: JSON of the source as read-only tables that keep their bytes; these raise ---- */
void ck_import_value_open(lua_State *L);
void ck_import_value_push(lua_State *L, ck_bytes json);
/* json(text): the value of a text that is JSON, nil and the reason otherwise. */
int ck_import_value_parse(lua_State *L);
/* Appends JSON; tables of the source with their original bytes. */
void ck_import_value_append(ck_buffer *out, lua_State *L, int index);

/* ---- fact.c: emit ---- */
typedef struct ck_import_emitter {
  const ck_import_sink *sink;
  const char *path; /* of the file, for its problems; borrowed */
  ck_buffer message, value, source;
  bool in_session;
  size_t sessions;
  /* of a micro-dollar: the remainder of rounding in this session, so that sums stay exact */
  double cost_rest;
} ck_import_emitter;
/* Pushes the function `emit`. The emitter outlives the VM. */
void ck_import_fact_push_emit(lua_State *L, ck_import_emitter *emitter);
/* time(text): milliseconds since 1970 of an ISO 8601 text; nil when it is none. Without a zone it
 * is taken as UTC. */
int ck_import_fact_time(lua_State *L);

#endif
