/* report.h - a session as one file: the page of `ckrun ui` with what it would be answered. */
#ifndef CK_HOST_UI_REPORT_H
#define CK_HOST_UI_REPORT_H

#include "core/host/cli/command.h"
#include "core/redact/redact.h"

enum {
  CK_UI_REPORT_STATES = 200,        /* the newest checkpoints whose states are in it */
  CK_UI_REPORT_STATE_MAX = 16 << 20 /* bytes of them, at most */
};

/* Appends the file: HTML that loads nothing from elsewhere. All that is stored passes `redactor`
 * once more. Each part is what a command prints by then: of a session that runs, a later one may
 * know more than an earlier one. CK_E_UNAVAILABLE: a command has failed. */
CK_CHECKED ck_status ck_ui_report_write(ck_buffer *out, const ck_host *host, const char *session,
                                        ck_redactor *redactor, ck_error *err);

#endif
