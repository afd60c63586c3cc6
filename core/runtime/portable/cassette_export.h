/* cassette_export.h - writes a session as a recording that a flow can be run from again:
 * core/effect/cassette/cassette.h has the format. */
#ifndef CK_RUNTIME_PORTABLE_CASSETTE_EXPORT_H
#define CK_RUNTIME_PORTABLE_CASSETTE_EXPORT_H

#include "core/redact/redact.h"
#include "core/store/store.h"

/* Appends a header and one line for each outcome that the head's timeline sees, scope by scope (by
 * name), in the order in which the flow would meet them in one run without a stop: an outcome that
 * a resume replayed has the position of its original. Models, tools and asks only. A model's line
 * has the digest of its request as sent, unless something in it was masked. CK_E_UNSUPPORTED: an
 * outcome that a recording cannot hold, named by its seq; CK_E_CORRUPT; the answers of
 * ck_store_read_events. */
CK_CHECKED ck_status ck_cassette_export(ck_buffer *out, ck_store *store, const ck_head *head,
                                        ck_redactor *redactor, ck_error *err);

#endif
