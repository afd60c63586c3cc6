/* programs.h - what the programs that a flow runs need of the host: a place for long outputs, and
 * secrets by reference. */
#ifndef CK_HOST_RUN_PROGRAMS_H
#define CK_HOST_RUN_PROGRAMS_H

#include "core/effect/process/exec.h"
#include "core/host/print/output.h"
#include "core/runtime/session/session.h"

/* Zero-initialise; ck_programs_clear after the driver was freed. */
typedef struct ck_programs {
  ck_output *output;
  ck_session *session;
  char *spills; /* the folder of long outputs */
} ck_programs;

/* The driver of exec effects. `output`, `session` and `spills` are set; `directory` is the
 * session's folder. */
CK_CHECKED ck_status ck_programs_open_driver(ck_effect_driver **out, ck_programs *self,
                                             ck_loop *loop, const char *directory, ck_error *err);
void ck_programs_clear(ck_programs *self);

#endif
