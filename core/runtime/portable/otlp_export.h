/* otlp_export.h - a session as a trace of OpenTelemetry, by the conventions for generative AI. */
#ifndef CK_RUNTIME_PORTABLE_OTLP_EXPORT_H
#define CK_RUNTIME_PORTABLE_OTLP_EXPORT_H

#include "core/redact/redact.h"
#include "core/store/store.h"

/* Appends one document, {"resourceSpans": […]}: a span for the session, within it one for each
 * agent in each scope, from its first event to its last, and within these one for each effect that
 * was begun, on whichever timeline: each call that was paid for is there once. What a model was
 * given is told once as well, in the first call that was given it. The same session makes the same
 * bytes. */
CK_CHECKED ck_status ck_otlp_export(ck_buffer *out, ck_store *store, const ck_head *head,
                                    ck_redactor *redactor, ck_error *err);

#endif
