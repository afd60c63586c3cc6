/* record.h - --record: writes a recording of a run, whatever its end. */
#ifndef CK_HOST_RUN_RECORD_H
#define CK_HOST_RUN_RECORD_H

#include "core/host/run/engine.h"

#define CK_RECORD_OPTION(values, field)                                                           \
  {                                                                                               \
    .name = "record", .type = CK_OPTION_TEXT, .offset = offsetof(values, field), .value = "FILE", \
    .complete = CK_COMPLETE_FILE,                                                                 \
    .help = "write the whole session to a file for --cassette when the run ends, however it ends" \
  }

/* NULL is fine in both. CK_E_USAGE: no file can be made there. */
CK_CHECKED ck_status ck_record_check(const char *path, ck_error *err);
/* Before a session is begun, when all that it works with is open: takes `path`, which is borrowed,
 * as where the engine's session is written, and keeps it from agents (own_file.h). CK_E_REFUSED: it
 * is a file that this process works with. */
CK_CHECKED ck_status ck_record_claim(ck_engine *engine, const char *path, ck_error *err);
/* Writes the engine's session, if a path was taken and there is a session. `status` and `err` are
 * the result of the run and are returned unless the status is CK_OK; a further failure to write the
 * recording is reported on stderr. */
CK_CHECKED ck_status ck_record_write(const ck_engine *engine, ck_status status, ck_error *err);

#endif
