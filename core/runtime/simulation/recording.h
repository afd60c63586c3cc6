/* recording.h - a stored session for simulation: its boundaries as they were recorded, and the work
 * between them. */
#ifndef CK_RUNTIME_SIMULATION_RECORDING_H
#define CK_RUNTIME_SIMULATION_RECORDING_H

#include "core/runtime/simulation/protected.h"
#include "core/runtime/simulation/prune_points.h"
#include "core/runtime/simulation/shown_as.h"
#include "core/store/store.h"

/* Work done since the session began, on all timelines: what a crash without any checkpoint would
 * lose. */
typedef struct ck_work {
  int64_t ms;        /* as `since.ms` counts it */
  int64_t active_ms; /* the part of it in which no person was waited for, see work_time.h */
  int64_t cost_micros, tokens, tool_calls;
} ck_work;

/* One event, as a moment at which a crash can come. */
typedef struct ck_recorded_event {
  int64_t seq;
  ck_work work;     /* up to and with it. ms: at boundaries as recorded, between them by the events'
                       wall times; active_ms: by these, and no more than ms */
  bool resumed;     /* a run went on from a checkpoint here: counting starts anew, as it did then */
  size_t boundary;  /* index; SIZE_MAX: it is none */
  int64_t prune_ms; /* a prune that a person began asked policies then, wall time; 0: it is none */
} ck_recorded_event;

typedef struct ck_recorded_boundary {
  ck_boundary at; /* as the policies saw it; texts owned by the recording */
  int64_t timeline;
  ck_shown_message message; /* that of `at` */
  /* changes since the boundary before. Keys: those not changed earlier in that interval; `changed`,
   * owned: a JSON array of all of them, no bytes: none, or an earlier version did not name them */
  int64_t added_keys, added_bytes;
  ck_bytes changed;
  bool begins;           /* the first of a run: nothing has changed before what it tells */
  bool edited;           /* a person went back: no run reached it, and nobody was asked what goes */
  bool inherited;        /* it lies in the session that this one is a fork of */
  size_t place;          /* of the boundary whose place its checkpoint is said to be at: index */
  ck_prune_rules prunes; /* of its run */
  int64_t pruned_ms;     /* when its run has dropped checkpoints right behind it; 0: it has not */
  bool taken, sync;
  const ck_value *reasons; /* NULL: none */
} ck_recorded_boundary;

typedef struct ck_recording {
  char id[CK_ID_SIZE];
  ck_recorded_event *events;
  size_t event_count;
  ck_recorded_boundary *boundaries;
  size_t boundary_count;
  ck_totals totals;
  ck_protected protected; /* of its own checkpoints */
  bool imported;          /* from another program: it has no runs */
} ck_recording;

/* What the body of an event tells of a boundary's view, see ck_boundary_write_place: the event's
 * scope and agent, and the members of `body`. Texts owned, ck_recorded_place_clear. */
CK_CHECKED ck_status ck_recorded_place_read(ck_boundary *out, const ck_event *event, ck_bytes body,
                                            ck_error *err);
void ck_recorded_place_clear(ck_boundary *self);

/* All events of the session, ascending. A boundary of a kind that this version does not know counts
 * as an event only. A boundary without a time has that of its event, or of the last event with one;
 * one without a random number has one made from its seq. CK_E_NOT_FOUND, and the answers of
 * ck_store_read_events. */
CK_CHECKED ck_status ck_recording_read(ck_recording **out, ck_store *store, const char *session_id,
                                       ck_error *err);
void ck_recording_free(ck_recording *self);
/* What boundaries lack of the texts that would be shown: it is read from the transcript, once. */
CK_CHECKED ck_status ck_recording_read_texts(ck_recording *self, ck_store *store,
                                             const ck_shown_as *as, ck_error *err);
/* `keys`, those changed since the last checkpoint of some policies, as they are at the boundary. */
CK_CHECKED ck_status ck_recorded_boundary_add_changes(ck_changed_keys *keys,
                                                      const ck_recorded_boundary *self,
                                                      ck_error *err);
/* The boundary as it would be shown; `since` stays as recorded, without the names of keys. Borrows
 * from the recording. */
ck_boundary ck_recorded_boundary_show(const ck_recorded_boundary *self, const ck_shown_as *as);

#endif
