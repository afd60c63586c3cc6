/* spill_windows.h - a long text in windows, each of which can be masked by itself. */
#ifndef CK_HOST_RUN_SPILL_WINDOWS_H
#define CK_HOST_RUN_SPILL_WINDOWS_H

#include "core/host/run/spill_file.h"
#include "core/redact/redact.h"

/* A window has from about one to CK_SPILL_WINDOW_MAX bytes, and ends where nothing that the
 * redactor masks lies across its end, as far as a secret can reach; where there is no such place,
 * at its largest. */
enum { CK_SPILL_WINDOW_MAX = 8 << 20 };

typedef struct ck_spill_windows {
  ck_redactor *redactor;     /* borrowed */
  ck_spill_file_visit visit; /* gets the windows */
  void *to;
  ck_buffer window; /* {0} */
  size_t tried;     /* up to where no place was found */
} ck_spill_windows;

/* A ck_spill_file_visit: `to` is a ck_spill_windows. */
CK_CHECKED ck_status ck_spill_windows_take(void *to, ck_bytes part, ck_error *err);
/* The last one. */
CK_CHECKED ck_status ck_spill_windows_end(ck_spill_windows *self, ck_error *err);
/* Wiped. */
void ck_spill_windows_clear(ck_spill_windows *self);

#endif
