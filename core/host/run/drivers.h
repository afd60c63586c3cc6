/* drivers.h - the drivers of one run, opened from one table. */
#ifndef CK_HOST_RUN_DRIVERS_H
#define CK_HOST_RUN_DRIVERS_H

#include "core/effect/process/command.h"
#include "core/host/run/driver_context.h"
#include "core/host/run/processes.h"

/* Zero-initialise; must not move once opened, since drivers borrow the members. */
typedef struct ck_drivers {
  ck_driver_context context;
  ck_effect_driver **list; /* the first that serves an effect takes it; ends with NULL */
  size_t count, cap;
  ck_command_tool *commands;  /* the flow's tools that are commands */
  const char **command_names; /* of them; ends with NULL */
  size_t command_count;
  ck_processes processes;
} ck_drivers;

/* Opens the drivers whose conditions hold. ck_drivers_close also after a failure. */
CK_CHECKED ck_status ck_drivers_open(ck_drivers *self, const ck_driver_context *context,
                                     ck_error *err);
/* Ends running effects; nothing is delivered. */
void ck_drivers_close(ck_drivers *self);

#endif
