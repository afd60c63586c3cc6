/* fixture.h - imports files into a store in memory and tells what came of it. */
#ifndef CK_TESTS_IMPORT_FIXTURE_H
#define CK_TESTS_IMPORT_FIXTURE_H

#include "core/runtime/import.h"
#include "lua/import.h"

enum { FIXTURE_SESSIONS_MAX = 256 };

typedef struct fixture_session {
  char id[CK_ID_SIZE];
  ck_import_report report;
} fixture_session;

typedef struct fixture {
  ck_store *store;
  ck_redactor *redactor;
  char format[CK_IMPORT_FORMAT_SIZE];
  fixture_session sessions[FIXTURE_SESSIONS_MAX];
  size_t count, existed;
  size_t lost, mended;
  int64_t last_lost;   /* line */
  char problem[200];
  ck_error err;
  /* inside */
  const char *path;
  ck_import *session;
} fixture;

void fixture_open(fixture *self);
void fixture_close(fixture *self);
/* Forgets what was counted, not what is in the store. */
void fixture_reset(fixture *self);
ck_status fixture_import(fixture *self, const char *path, const char *format);

/* All events of a session, one a line: kind, scope, agent and what matters of the body. */
void fixture_dump(ck_buffer *out, fixture *self, const char *id);
/* Counts events of the kind whose body's `member` is the JSON string `text`; NULL: any text, any body. */
int64_t fixture_count(fixture *self, const char *id, ck_event_kind kind, const char *member, const char *text);
/* "<folder>/<rest>"; lives for 16 calls. */
const char *fixture_path(const char *folder, const char *rest);
/* The file's bytes; ends the test when it cannot be read. */
void fixture_read(ck_buffer *out, const char *path);
void fixture_write(const char *path, ck_bytes bytes);

#endif
