/* imports.h - imports files into a store in memory and tells what came of it. */
#ifndef CK_TESTS_LUA_IMPORT_IMPORTS_H
#define CK_TESTS_LUA_IMPORT_IMPORTS_H

#include "core/runtime/portable/import.h"
#include "lua/import/import.h"

enum { IMPORTS_SESSIONS_MAX = 256 };

typedef struct imports_session {
  char id[CK_ID_SIZE];
  ck_import_report report;
} imports_session;

typedef struct imports {
  ck_store *store;
  ck_redactor *redactor;
  char format[CK_IMPORT_FORMAT_SIZE];
  imports_session sessions[IMPORTS_SESSIONS_MAX];
  size_t count, existed;
  size_t lost, mended;
  int64_t last_lost; /* line */
  char problem[200];
  ck_error err;
  /* inside */
  const char *path;
  ck_import *session;
} imports;

void imports_open(imports *self);
void imports_close(imports *self);
/* Forgets what was counted, not what is in the store. */
void imports_reset(imports *self);
ck_status imports_import(imports *self, const char *path, const char *format);

/* All events of a session, one a line: kind, scope, agent and what matters of the body. */
void imports_dump(ck_buffer *out, imports *self, const char *id);
/* Counts events of the kind whose body's `member` is the JSON string `text`; NULL: any text, any
 * body. */
int64_t imports_count(imports *self, const char *id, ck_event_kind kind, const char *member,
                      const char *text);
/* "<folder>/<rest>"; lives for 16 calls. */
const char *imports_path(const char *folder, const char *rest);
/* The file's bytes; ends the test when it cannot be read. */
void imports_read(ck_buffer *out, const char *path);
void imports_write(const char *path, ck_bytes bytes);

#endif
