/* import_run.h - makes a session of a run checkpoint, so that it can be resumed here. */
#ifndef CK_HOST_RUN_IMPORT_RUN_H
#define CK_HOST_RUN_IMPORT_RUN_H

#include "core/host/cli/command.h"
#include "core/base/error.h"
#include "core/store/format/seal.h"

typedef struct ck_import_run_options {
  const char *path;
  const ck_key *key;  /* of a sealed export (core/host/session/sealed_export.h); NULL: none */
  const char *format; /* the document's; NULL: told from it */
  const char *flow, *profile; /* the flow and profile to resume with; profile NULL: the default */
  const char *session;        /* its id; NULL: made of the document */
  bool accept_changed;        /* also with another agent or flow than the document's */
} ck_import_run_options;

/* True for the format of a document that goes on: run-checkpoint, session-checkpoint,
 * loop-checkpoint, workflow-checkpoint. */
bool ck_import_run_knows(const char *format);
/* True when the file is a JSON object that claims to be such a document; false for anything else,
 * also for an unreadable file. */
bool ck_import_run_is(const char *path);
/* Makes the session, paused, and prints the command that resumes it. CK_E_USAGE: no flow is given,
 * or one that is no agent; CK_E_REFUSED: the conversation is another agent's, or was held under
 * another flow; CK_E_EXISTS: the id is taken, or none is given and a session was made of the
 * document before; the statuses of ck_run_checkpoint_read with the path. A failure before the store
 * is opened leaves nothing behind. */
CK_CHECKED ck_status ck_import_run(const ck_host *host, const ck_import_run_options *options,
                                   ck_error *err);

#endif
