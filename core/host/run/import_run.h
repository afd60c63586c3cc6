/* import_run.h - makes a session of a run checkpoint, so that it can be resumed here. */
#ifndef CK_HOST_RUN_IMPORT_RUN_H
#define CK_HOST_RUN_IMPORT_RUN_H

#include "core/host/cli/command.h"
#include "core/base/error.h"

typedef struct ck_import_run_options {
  const char *path;
  const char *flow, *profile; /* which go on with it; profile NULL: the default */
  const char *session;        /* its id; NULL: one is made */
} ck_import_run_options;

/* True when the file is a JSON object that means to be a run checkpoint; false for anything else,
 * also what cannot be read. */
bool ck_import_run_is(const char *path);
/* The session is made, paused, and printed with how to go on. CK_E_USAGE: no flow is given, or one
 * that is no agent; the answers of ck_run_checkpoint_read with the path. Nothing is made on failure
 * before the store. */
CK_CHECKED ck_status ck_import_run(const ck_host *host, const ck_import_run_options *options,
                                   ck_error *err);

#endif
