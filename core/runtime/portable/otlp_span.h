/* otlp_span.h - one span of a trace, as OTLP has it in JSON.
 *
 * Its ids are digests of the session's id and of an event's seq, never random: a session that is
 * exported twice has the same. Attributes, name and error pass redaction, ids and times do not. */
#ifndef CK_RUNTIME_PORTABLE_OTLP_SPAN_H
#define CK_RUNTIME_PORTABLE_OTLP_SPAN_H

#include "core/redact/redact.h"

enum { CK_OTLP_TRACE_SIZE = 33, CK_OTLP_ID_SIZE = 17 };

/* An event's time, in nanoseconds: events of one millisecond stay apart, in the order of seq. */
int64_t ck_otlp_time(int64_t at_ms, int64_t seq);
void ck_otlp_trace_id(char out[CK_OTLP_TRACE_SIZE], const char *session);
/* `what`: tells spans that begin with one event apart. */
void ck_otlp_span_id(char out[CK_OTLP_ID_SIZE], const char *session, int64_t seq, const char *what);

/* Zero-initialise with what it is; then attributes are put. */
typedef struct ck_otlp_span {
  char id[CK_OTLP_ID_SIZE], parent[CK_OTLP_ID_SIZE]; /* parent: empty for the outermost */
  bool client;                                       /* it is a call of something elsewhere */
  bool failed;
  int64_t begin, end; /* nanoseconds; one that ends before it begins ends there */
  ck_buffer name;
  ck_bytes error; /* a JSON string, why it failed; no bytes: it is not said; borrowed */
  ck_buffer attributes;
} ck_otlp_span;
void ck_otlp_span_clear(ck_otlp_span *self);
/* What has no bytes is left out, as is a text that is NULL. */
void ck_otlp_span_put_text(ck_otlp_span *self, const char *name, const char *text);
void ck_otlp_span_put_string(ck_otlp_span *self, const char *name, ck_bytes json_string);
/* The text of any JSON value: of a string what it says, of others their JSON. */
void ck_otlp_span_put_value(ck_otlp_span *self, const char *name, ck_bytes json);
/* JSON as a text. */
void ck_otlp_span_put_json(ck_otlp_span *self, const char *name, ck_bytes json);
void ck_otlp_span_put_int(ck_otlp_span *self, const char *name, int64_t number);
/* Only a number is put. */
void ck_otlp_span_put_number(ck_otlp_span *self, const char *name, ck_bytes json);
/* In dollars. */
void ck_otlp_span_put_money(ck_otlp_span *self, const char *name, int64_t micros);
/* A list of one text, such as the reasons why answers ended. */
void ck_otlp_span_put_list(ck_otlp_span *self, const char *name, const char *text);

/* Appends the span, redacted. */
CK_CHECKED ck_status ck_otlp_span_write(ck_buffer *out, const ck_otlp_span *self, const char *trace,
                                        ck_redactor *redactor, ck_error *err);

#endif
