/* output.h - the program's output: data to stdout, notices to stderr, stored text only redacted and
 * escaped. */
#ifndef CK_HOST_PRINT_OUTPUT_H
#define CK_HOST_PRINT_OUTPUT_H

#include <stdio.h>
#include <sys/types.h>

#include "core/host/print/tone.h"
#include "core/redact/redact.h"

/* Each JSON object of the program's own begins with this member: the version of the members' names
 * and meanings, as core/host/README.md lists them. It rises when one is renamed, removed or means
 * something else. */
#define CK_OUTPUT_VERSION_NAME "ckrun_json"
#define CK_OUTPUT_VERSION 1

enum { CK_OUTPUT_KEPT_MAX = 32 << 20 };
enum { CK_OUTPUT_UNREAD_EXIT = 141 }; /* as shells tell of a program that SIGPIPE ended */

typedef struct ck_output {
  bool json;            /* stdout carries JSON, stderr only errors as JSON */
  bool quiet;           /* --quiet: no notices, no progress */
  bool terminal;        /* stdout is a terminal */
  bool notice_terminal; /* stderr is a terminal */
  bool notice_color;    /* stderr may */
  bool color;           /* stdout may have bold text: a terminal, without NO_COLOR */
  int width;            /* columns of stdout's terminal; 0: unknown or no terminal */
  int notice_width;     /* columns of stderr's terminal; 0: unknown or no terminal */
  bool live;            /* a live line is on stderr */
  bool failed;          /* an append or write failed: ck_output_flush returns the failure */
  bool unread;          /* whoever read stdout has closed it: the rest is written to nobody */
  bool cut;             /* for that reason something stopped (ck_output_is_read) */
  bool no_pager;        /* --no-pager */
  pid_t pager;          /* what shows stdout on the terminal (pager.h); 0: nothing does */
  int cause;            /* errno of the write that failed; 0: it was no write */
  ck_buffer *kept;      /* what goes to stdout is appended here instead, up to
                           CK_OUTPUT_KEPT_MAX bytes; NULL: it goes there */
  ck_buffer problems;   /* of an error with --json; each with a NUL behind it */
  char policy[128];     /* of an error with --json: whose answer it is; "": nobody's */
  const char *hook;     /* of that policy */
  ck_redactor *redactor;
  ck_redactor *log_redactor; /* for log lines, from any thread; NULL: no secret is known */
} ck_output;

/* Inspects the file descriptors and the environment. */
CK_CHECKED ck_status ck_output_open(ck_output *out, ck_error *err);
void ck_output_close(ck_output *self);

/* The store's key for fingerprints, so that output has the same fingerprints as stored text. */
void ck_output_set_fingerprint_key(ck_output *self, const uint8_t *key);
/* Applies the secrets that `redactor` knows by now to log lines, too. */
CK_CHECKED ck_status ck_output_guard_log(ck_output *self, ck_error *err);

/* To stdout unchanged: the program's own text, or text that passed ck_output_append_safe. */
void ck_output_write(ck_output *self, ck_bytes text);
void ck_output_print(ck_output *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* False: nobody reads stdout any more. Asked by what only shows something, and stops there without
 * a word; what changes something goes on. The program's exit code is CK_OUTPUT_UNREAD_EXIT then,
 * but with a pager, which a person closes. */
bool ck_output_is_read(ck_output *self);
/* CK_E_IO when anything could not be written, now or before; a reader that closed the pipe is no
 * error. CK_E_OVERSIZE: more was to be kept than may be. */
CK_CHECKED ck_status ck_output_flush(ck_output *self, ck_error *err);

/* The same behind all that a command which only shows something has to show. */
CK_CHECKED ck_status ck_output_flush_shown(ck_output *self, ck_error *err);

/* One line to stderr, redacted and escaped; nothing with --json or --quiet. */
void ck_output_notice(ck_output *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One of several problems of the error that follows: a line on stderr, or with --json a member of
 * its list. */
void ck_output_problem(ck_output *self, const char *text);
/* Draws a line on stderr's terminal, unless it is quiet; the next one replaces it, and any other
 * output removes it.
 * `line` passed ck_output_append_safe; it is cut at the terminal's width. */
void ck_output_show_live(ck_output *self, ck_bytes line);
void ck_output_hide_live(ck_output *self);
/* A line on stderr's terminal that stays, above the live line; it is cut at the terminal's width,
 * and passed ck_output_append_safe. */
void ck_output_show_line(ck_output *self, ck_bytes line, ck_tone tone);
/* Prints an error, always in the same form: "ckrun: text", or with --json
 * {"ckrun_json", "error":{status, text, exit, policy?, hook?, problems?}}. */
void ck_output_error(ck_output *self, const ck_error *err);

/* Appends stored text for people: redacted, then escaped. */
void ck_output_append_safe(ck_output *self, ck_buffer *to, ck_bytes text);
/* The same of what may have several lines: line breaks and tabs stay. */
void ck_output_append_lines(ck_output *self, ck_buffer *to, ck_bytes text);
/* A text as it is, to stdout: on a terminal as ck_output_append_lines has it, so that it acts on
 * nothing there. Flushes. CK_E_NO_MEMORY, and as ck_output_flush_shown. */
CK_CHECKED ck_status ck_output_print_text(ck_output *self, ck_bytes text, ck_error *err);

#endif
