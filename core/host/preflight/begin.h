/* begin.h - a new session of a flow, as its command line describes it. */
#ifndef CK_HOST_PREFLIGHT_BEGIN_H
#define CK_HOST_PREFLIGHT_BEGIN_H

#include "core/host/run/amend.h"
#include "core/host/run/engine.h"

/* As a member of a command's own struct. */
typedef struct ck_begin_words {
  const char *flow, *profile, *input, *session, *cassette;
  const char *record;    /* see record.h; NULL */
  const char *signature; /* a file, see signed_flow.h; NULL: the flow is not signed */
  ck_edit_words edits;
  ck_settings_words settings;
} ck_begin_words;

/* Rows of a command's tables; `field` is its ck_begin_words. */
#define CK_BEGIN_OPERAND(values, field)                                                     \
  {                                                                                         \
    .name = "FLOW", .offset = offsetof(values, field.flow), .help = "the flow: a Lua file", \
    .complete = CK_COMPLETE_FILE                                                            \
  }
#define CK_BEGIN_OPTIONS(values, field)                                                       \
  {.name = "profile",                                                                         \
   .type = CK_OPTION_TEXT,                                                                    \
   .offset = offsetof(values, field.profile),                                                 \
   .value = "PROFILE",                                                                        \
   .complete = CK_COMPLETE_FILE,                                                              \
   .help = "how sessions of this kind are run: a shipped name or a Lua file"},                \
      {.name = "input",                                                                       \
       .type = CK_OPTION_TEXT,                                                                \
       .offset = offsetof(values, field.input),                                               \
       .value = "JSON|@FILE",                                                                 \
       .complete = CK_COMPLETE_FILE,                                                          \
       .help = "what the flow is given, as JSON or from a file of JSON, an image or a PDF"},  \
      {.name = "session",                                                                     \
       .type = CK_OPTION_TEXT,                                                                \
       .offset = offsetof(values, field.session),                                             \
       .value = "ID",                                                                         \
       .help = "the id of the new session; one is made otherwise"},                           \
      {.name = "cassette",                                                                    \
       .type = CK_OPTION_TEXT,                                                                \
       .offset = offsetof(values, field.cassette),                                            \
       .value = "FILE[#N]",                                                                   \
       .complete = CK_COMPLETE_FILE,                                                          \
       .help = "answer model calls, questions and tools from a recording (its N-th session, " \
               "from 0)"},                                                                    \
      CK_EDIT_OPTIONS(values, field.edits), CK_SETTINGS_OPTIONS(values, field.settings)

/* Everything is read and checked first, and all problems are told at once; then the store is
 * opened, or made, and engine->session is a new session in it. The store's key may come from the
 * profile: host->key. On failure nothing is left in the store. */
CK_CHECKED ck_status ck_begin_session(ck_host *host, ck_engine *engine, const ck_begin_words *words,
                                      ck_error *err);

#endif
