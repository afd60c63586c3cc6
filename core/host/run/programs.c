/* programs.c - opens the driver of the programs that a flow runs. */
#include "core/host/run/programs.h"

#include "core/effect/process/exec.h"
#include "core/runtime/session/secret.h"

/* The secret is registered with the redactor, the session and the log before the program gets it:
 * an echo of it is masked. */
static ck_status resolve(void *to, ck_buffer *out, const char *ref, ck_error *err) {
  const ck_driver_context *context = to;
  ck_status status = ck_secret_register(context->output->redactor, ref, ref, err);
  if (status == CK_OK) status = ck_session_learn_secret(context->session, ref, ref, err);
  if (status == CK_OK) status = ck_output_guard_log(context->output, err);
  return status == CK_OK ? ck_secret_read(out, ref, err) : status;
}

/* Policies are shown what a result keeps of an output, and nothing of the rest. */
static const char withheld[] =
    "a policy of your own masks what is stored, and is not shown so long an output: output_max can "
    "be higher";

ck_status ck_programs_open_driver(ck_effect_driver **out, const ck_driver_context *context,
                                  ck_error *err) {
  ck_exec_options options = {
      .loop = context->loop,
      .directory = context->directory,
      .spill = {.shelf = context->spills,
                .withheld = context->masked ? withheld : NULL,
                .session = ck_session_id(context->session),
                .redactor = context->output->redactor,
                .key = ck_store_fingerprint_key(context->store)},
      .resolve = resolve,
      .to = (void *)context,
  };
  return ck_exec_driver_new(out, &options, err);
}
