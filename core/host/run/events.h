/* events.h - --events: a run's events on stdout, one JSON object per line, as soon as they are
 * durable. */
#ifndef CK_HOST_RUN_EVENTS_H
#define CK_HOST_RUN_EVENTS_H

#include "core/host/print/output.h"
#include "core/runtime/session/session.h"

/* Zero-initialise; set wanted. */
typedef struct ck_event_stream {
  bool wanted;
  ck_output *output;
  ck_store *store;
  int64_t session, after; /* the last seq that was printed */
} ck_event_stream;

/* The row of a command's option table. */
#define CK_EVENTS_OPTION(values, field)                                                          \
  {                                                                                              \
    .name = "events", .offset = offsetof(values, field),                                         \
    .help = "print each event as a JSON object when it is durable, and the summary as the last " \
            "one; implies --json"                                                                \
  }

/* Begins with the first event of the session's current run. */
void ck_event_stream_begin(ck_event_stream *self, ck_output *output, ck_store *store,
                           const ck_session *session);
/* Prints the events that have become durable since. */
CK_CHECKED ck_status ck_event_stream_report(ck_event_stream *self, ck_error *err);

#endif
