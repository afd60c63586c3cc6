/* output.h - what the program says: data to stdout, talk to stderr, nothing stored without
 * redaction and escaping. */
#ifndef CK_HOST_PRINT_OUTPUT_H
#define CK_HOST_PRINT_OUTPUT_H

#include <stdio.h>

#include "core/redact/redact.h"

typedef struct ck_output {
  bool json;            /* stdout carries JSON, stderr only errors as JSON */
  bool terminal;        /* stdout is one */
  bool notice_terminal; /* stderr is one */
  bool color;           /* stdout may carry bold: a terminal, without NO_COLOR */
  int width;            /* columns of stdout's terminal; 0: unknown or no terminal */
  int notice_width;     /* of stderr's */
  bool live;            /* a live line stands on stderr */
  bool failed;          /* an append or write failed: ck_output_flush tells */
  ck_redactor *redactor;
  ck_redactor *log_redactor; /* for log lines, from any thread; NULL: no secret is known */
} ck_output;

/* Looks at the file descriptors and the environment. */
CK_CHECKED ck_status ck_output_open(ck_output *out, ck_error *err);
void ck_output_close(ck_output *self);

/* The store's key, so that what is shown reads like what was kept. */
void ck_output_set_fingerprint_key(ck_output *self, const uint8_t *key);
/* What `redactor` knows by now is kept out of log lines, too. */
CK_CHECKED ck_status ck_output_guard_log(ck_output *self, ck_error *err);

/* To stdout as it is: text of the program's own, or text that passed ck_output_append_safe. */
void ck_output_write(ck_output *self, ck_bytes text);
void ck_output_print(ck_output *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* CK_E_IO when anything could not be written, now or before; a reader that went away is no
 * error. */
CK_CHECKED ck_status ck_output_flush(ck_output *self, ck_error *err);

/* One line to stderr, redacted and escaped; nothing with --json. */
void ck_output_notice(ck_output *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Draws a line on stderr's terminal that is replaced by the next one, and gives way to everything
 * else that is said. `line` passed ck_output_append_safe; it is cut where the terminal ends. */
void ck_output_show_live(ck_output *self, ck_bytes line);
void ck_output_hide_live(ck_output *self);
/* The one way an error is told: "ckrun: text", or {"error":{…}} with --json. */
void ck_output_error(ck_output *self, const ck_error *err);

/* Appends stored text as a person may see it: redacted, then escaped. */
void ck_output_append_safe(ck_output *self, ck_buffer *to, ck_bytes text);

#endif
