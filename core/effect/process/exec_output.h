/* exec_output.h - one output of a program: its beginning in memory, all of it in a file when that
 * is too small. */
#ifndef CK_EFFECT_PROCESS_EXEC_OUTPUT_H
#define CK_EFFECT_PROCESS_EXEC_OUTPUT_H

#include "core/effect/process/spill.h"

/* Zero-initialise, then set `name` and `keep_max`. */
typedef struct ck_exec_output {
  const char *name; /* "stdout", "stderr" */
  size_t keep_max;
  ck_buffer kept;  /* the beginning */
  ck_buffer end;   /* the last bytes, for an error's text; twice CK_EXEC_ERROR_MAX at most */
  uint64_t total;  /* bytes written by the program */
  ck_spill *spill; /* NULL: not needed, or not possible */
  char *path;      /* of the spill, once it is closed */
  ck_error lost;   /* why there is no spill */
} ck_exec_output;

void ck_exec_output_append(ck_exec_output *self, const ck_spill_location *place,
                           const ck_effect *effect, ck_bytes chunk);
/* The output has ended. */
void ck_exec_output_close(ck_exec_output *self);
/* The kept beginning, without half a character at its end. */
ck_bytes ck_exec_output_kept(const ck_exec_output *self);
/* True when the kept beginning has bytes that are no UTF-8, or NUL. */
bool ck_exec_output_is_lossy(const ck_exec_output *self);
void ck_exec_output_clear(ck_exec_output *self);

#endif
