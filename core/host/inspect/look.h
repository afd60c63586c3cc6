/* look.h - opens a store, and perhaps one session in it, for commands that only look. */
#ifndef CK_HOST_INSPECT_LOOK_H
#define CK_HOST_INSPECT_LOOK_H

#include "core/host/cli/command.h"
#include "core/host/print/document.h"
#include "core/host/inspect/pick_session.h"
#include "core/host/place.h"

typedef struct ck_look {
  ck_place place;
  ck_store *store;   /* NULL: there is none yet, and nobody named it */
  ck_head head;      /* of the session, when one was opened */
  bool live;         /* its owner runs */
} ck_look;

/* CK_E_NOT_FOUND when the store was named and is not there. */
CK_CHECKED ck_status ck_look_open(ck_look *out, const ck_host *host, ck_error *err);
/* `id` as for ck_pick_session; what it means is then head.session.id. CK_E_NOT_FOUND also when there is no store at all. */
CK_CHECKED ck_status ck_look_open_session(ck_look *out, const ck_host *host, const char *id, ck_error *err);
void ck_look_close(ck_look *self);

/* The names of all session statuses and event kinds, for options; end with NULL. */
extern const char *const ck_look_statuses[];
extern const char *const ck_look_kinds[];

/* Adds the members of a checkpoint as it is listed. */
void ck_look_put_checkpoint(ck_document *document, struct cJSON *at, const ck_checkpoint_info *checkpoint);
/* Adds the members of an event: seq, timeline, kind, at, scope, agent, body. */
void ck_look_put_event(ck_document *document, struct cJSON *at, const ck_event *event);
/* Adds the figures to an object, or an object "totals" of them. */
void ck_look_fill_totals(ck_document *document, struct cJSON *object, const ck_totals *totals);
void ck_look_put_totals(ck_document *document, struct cJSON *at, const ck_totals *totals);
/* Adds session, status, reason, times, profile, flow, run; `live` for running ones. */
void ck_look_put_record(ck_document *document, struct cJSON *at, const ck_session_record *record, bool live);

#endif
