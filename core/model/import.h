/* import.h - the neutral facts that an importer reports of a session that ran elsewhere, and their
 * receiver. */
#ifndef CK_MODEL_IMPORT_H
#define CK_MODEL_IMPORT_H

#include "core/model/value.h"

/* X(enumerator, name in Lua). `value` is Lua's arguments, content, data or about. */
/* clang-format off */
#define CK_IMPORT_TABLE(X) \
  X(CK_IMPORT_SESSION, "session") /* id, at?, cost?, input_tokens?, output_tokens?, about? */ \
  X(CK_IMPORT_AGENT, "agent") /* id, parent?, role? */ \
  X(CK_IMPORT_MESSAGE, "message") /* agent, message: system or user text */ \
  X(CK_IMPORT_MODEL, "model") /* agent, message, cost?, input_tokens?, output_tokens?, error? */ \
  X(CK_IMPORT_TOOL_CALL, "tool_call") /* agent, id?, name, arguments? */ \
  X(CK_IMPORT_TOOL_RESULT, "tool_result") /* agent, id?, name?, content | message, error? */ \
  X(CK_IMPORT_DELEGATION, "delegation") /* agent, id?, target, child?, message? */ \
  /* agent, id?, child, message? | content?, error? */ \
  X(CK_IMPORT_DELEGATION_RESULT, "delegation_result") \
  X(CK_IMPORT_THOUGHT, "thought") /* agent?, data? */ \
  X(CK_IMPORT_STATE, "state") /* agent?, data? */ \
  X(CK_IMPORT_COMPACTION, "compaction") /* agent?, data? */ \
  X(CK_IMPORT_ERROR, "error") /* agent?, data? */ \
  X(CK_IMPORT_META, "meta") /* agent?, data? */ \
  X(CK_IMPORT_END, "end")               /* status: completed, failed or paused; reason? */
/* clang-format on */

typedef enum {
#define X(name, text) name,
  CK_IMPORT_TABLE(X)
#undef X
      CK_IMPORT_KIND_COUNT
} ck_import_kind;

const char *ck_import_kind_name(ck_import_kind kind);
/* CK_IMPORT_KIND_COUNT when there is no such name. */
ck_import_kind ck_import_kind_of(const char *name);

/* One fact. Everything is borrowed for the call. Texts are NULL and bytes empty where the source
 * has none. */
typedef struct ck_import_fact {
  ck_import_kind kind;
  const char *agent, *id, *name, *child, *parent, *role, *target, *status, *reason;
  int64_t at_ms;     /* wall time, from the source; 0: the source has none */
  ck_bytes source;   /* JSON: the position in the file: a line or index from 1, or a list of them */
  ck_bytes message;  /* JSON object */
  ck_bytes value;    /* JSON */
  bool failed;       /* a call or model reply that ended in an error */
  const char *error; /* its text */
  int64_t cost_micros; /* -1: the source has no price */
  int64_t input_tokens, output_tokens;
} ck_import_fact;

/* Receives the facts of one file, in the file's order. */
typedef struct ck_import_sink {
  void *self;
  CK_CHECKED ck_status (*put)(void *self, const ck_import_fact *fact, ck_error *err);
  /* A position of the file that could not be read and is left out (`lost`), or could only be read
   * with characters replaced. */
  void (*problem)(void *self, const char *path, int64_t line, const char *text, bool lost);
  /* Appends the rows of those tables of a SQLite file as lines of JSON, at most so many bytes; the
   * last name is NULL. NULL: such files are not read. */
  CK_CHECKED ck_status (*read_tables)(ck_buffer *out, const char *path, const char *const *tables,
                                      size_t most, ck_error *err);
} ck_import_sink;

#endif
