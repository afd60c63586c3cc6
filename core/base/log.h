/* log.h - the one way to stderr: levelled lines, escaped, switched by $CKRUN_LOG. */
#ifndef CK_BASE_LOG_H
#define CK_BASE_LOG_H

#include "core/base/buffer.h"

typedef enum { CK_LOG_ERROR, CK_LOG_WARN, CK_LOG_INFO, CK_LOG_DEBUG } ck_log_level;

/* Default CK_LOG_WARN; ck_log_init reads $CKRUN_LOG (error, warn, info, debug). */
void ck_log_init(void);
/* At least that level from now on. */
void ck_log_raise(ck_log_level level);
/* One line "ckrun: text", control characters escaped. Thread-safe (one write call per line). */
void ck_log_line(ck_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A filter for every line before it is escaped: it appends the part of `text` that may be shown,
 * called from any thread. Set it while no other thread logs; NULL removes it. */
typedef void (*ck_log_filter)(ck_buffer *out, ck_bytes text, void *self);
void ck_log_set_filter(ck_log_filter filter, void *self);

/* Appends `text` with characters that act (ck_utf8_acts) and invalid UTF-8 shown as \xNN, so that
 * no stored string can drive a terminal. Newline and tab are escaped as \n and \t. Everything
 * printed for a person passes here. */
void ck_escape_append(ck_buffer *out, ck_bytes text);

#endif
