/* event_list.h - the events of a session, a line or an object each, as they are there and as more
 * come. */
#ifndef CK_HOST_INSPECT_EVENT_LIST_H
#define CK_HOST_INSPECT_EVENT_LIST_H

#include "core/host/inspect/inspect.h"
#include "core/host/inspect/taken_answers.h"
#include "core/host/print/table.h"
#include "core/runtime/session/tail/abandoned.h"

/* Zero-initialise; set output, all, one, last_max and err, then ck_event_list_open. */
typedef struct ck_event_list {
  ck_output *output;
  ck_error *err;
  bool all;        /* every timeline */
  bool one;        /* an event in full: wanted.seq */
  size_t last_max; /* only so many of the newest that are there; 0: all */
  bool printed;    /* any */
  int64_t after;   /* the last event that was read: the next read goes on behind it */
  ck_table table;
  ck_taken_answers answers; /* of people, by which runs went on, which would not be seen */
  ck_abandoned abandoned;
  ck_event **last; /* the newest first, until they are printed */
  size_t last_count, last_cap;
  ck_buffer text;
  ck_status status;
} ck_event_list;

/* `follows`: more will come, and nobody knows what. */
CK_CHECKED ck_status ck_event_list_open(ck_event_list *self, const ck_inspection *of, bool follows);
void ck_event_list_close(ck_event_list *self);

/* Those behind self->after go to stdout as objects, or into the table. NULL and 0: all. */
typedef struct ck_event_list_wanted {
  const char *agent, *kind;
  int64_t seq, before;
} ck_event_list_wanted;
CK_CHECKED ck_status ck_event_list_read(ck_event_list *self, const ck_inspection *of,
                                        const ck_event_list_wanted *wanted);
/* What became of the session since: its head, and whether it is run. CK_E_NOT_FOUND: it is gone. */
CK_CHECKED ck_status ck_event_list_look(ck_inspection *of, ck_error *err);
/* The same, and prints the events that came. */
CK_CHECKED ck_status ck_event_list_go_on(ck_event_list *self, ck_inspection *of,
                                         const ck_event_list_wanted *wanted);

#endif
