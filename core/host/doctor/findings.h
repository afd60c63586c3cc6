/* findings.h - what is wrong, each with the command that mends it. */
#ifndef CK_HOST_DOCTOR_FINDINGS_H
#define CK_HOST_DOCTOR_FINDINGS_H

#include "core/base/buffer.h"
#include "core/host/cli/command.h"

/* Texts are owned. */
typedef struct ck_finding {
  const char *check; /* "store", "permission", …; static */
  ck_status status;  /* whose exit code it is; CK_OK: to be known, nothing to be done at once */
  char *subject;     /* a path, a session's id, a library */
  char *text;
  char *remedy; /* a command line that runs as it is; NULL: only a person knows */
} ck_finding;

/* Zero-initialise. Adding never fails itself: ck_findings_check returns the failure. */
typedef struct ck_findings {
  ck_finding *list;
  size_t count, cap;
  bool failed;
} ck_findings;
void ck_findings_clear(ck_findings *self);

/* `remedy`: its command, taken and emptied; NULL: none. */
void ck_findings_add(ck_findings *self, const char *check, ck_status status, const char *subject,
                     ck_buffer *remedy, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
size_t ck_findings_count(const ck_findings *self, const char *check);
CK_CHECKED ck_status ck_findings_check(const ck_findings *self, ck_error *err);
/* The gravest one, in the order of the statuses; CK_OK: there is nothing to be done. */
ck_status ck_findings_worst(const ck_findings *self);

/* One JSON object with --json: {"store", "sqlite", "lua", "free_bytes"?, "findings": […], "ok"};
 * else a row for each, on a terminal some lines. */
typedef struct ck_findings_head {
  const char *store, *sqlite, *lua; /* sqlite NULL: the store has none of it */
  int64_t free_bytes;               /* -1: not known */
} ck_findings_head;
CK_CHECKED ck_status ck_findings_print(const ck_findings *self, const ck_findings_head *head,
                                       ck_output *output, ck_error *err);

#endif
