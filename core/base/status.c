/* status.c - looks a status up in its table. */
#include "core/base/status.h"

#include <stddef.h>

typedef struct status_row {
  const char *name;
  int exit_code;
  const char *text;
} status_row;

static const status_row rows[] = {
#define X(name, exit_code, text) {#name, exit_code, text},
    CK_STATUS_TABLE(X)
#undef X
};

/* A status may come from a file or another library, so any number is accepted. */
static const status_row *row_of(ck_status status) {
  static const status_row outside = {"CK_E_?", 1, "unknown status"};
  return (size_t)status < CK_STATUS_COUNT ? &rows[status] : &outside;
}

const char *ck_status_name(ck_status status) { return row_of(status)->name; }

const char *ck_status_text(ck_status status) { return row_of(status)->text; }

int ck_status_exit(ck_status status) { return row_of(status)->exit_code; }
