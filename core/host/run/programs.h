/* programs.h - the driver of the programs that a flow runs. */
#ifndef CK_HOST_RUN_PROGRAMS_H
#define CK_HOST_RUN_PROGRAMS_H

#include "core/model/driver.h"
#include "core/host/run/driver_context.h"

/* The driver of exec effects, with what only the host knows: the folder of long outputs, and
 * secrets by reference. Borrows `context`. */
CK_CHECKED ck_status ck_programs_open_driver(ck_effect_driver **out,
                                             const ck_driver_context *context, ck_error *err);

#endif
