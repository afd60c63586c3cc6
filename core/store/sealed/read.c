/* read.c - opens rows that are read; one that cannot be opened is passed on with its fault. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sealed/sealed.h"

/* ---- events and checkpoints ---- */

typedef struct opening {
  ck_sealer with;
  ck_event_row_visit visit_event;
  ck_checkpoint_row_visit visit_checkpoint;
  void *to;
  ck_buffer space;
  ck_error fault;
  ck_status status; /* CK_OK or CK_E_NO_MEMORY, which ends the reading */
} opening;

static bool visit_event(void *to, const ck_event_row *stored) {
  opening *self = to;
  ck_event_row row = *stored;
  ck_status status = ck_sealed_decode_event(&row, &self->with, &self->space, &self->fault);
  if (status == CK_E_NO_MEMORY) self->status = status;
  if (self->status) return false;
  if (status) row.fault = &self->fault;
  return self->visit_event(self->to, &row);
}

static bool visit_checkpoint(void *to, const ck_checkpoint_row *stored) {
  opening *self = to;
  ck_checkpoint_row row = *stored;
  ck_status status = ck_sealed_decode_checkpoint(&row, &self->with, &self->space, &self->fault);
  if (status == CK_E_NO_MEMORY) self->status = status;
  if (self->status) return false;
  if (status) row.fault = &self->fault;
  return self->visit_checkpoint(self->to, &row);
}

static ck_status end_opening(opening *self, ck_status status, ck_error *err) {
  ck_buffer_clear(&self->space);
  return status || !self->status ? status : ck_error_no_memory(err);
}

ck_status ck_sealed_read_events(void *to, const ck_event_rows *rows, ck_event_row_visit visit,
                                void *visitor, ck_error *err) {
  ck_sealed *self = to;
  ck_sealed_home home;
  ck_status status = ck_sealed_get_home(&home, self, rows->session, err);
  if (status) return status == CK_E_NOT_FOUND ? CK_OK : status;
  opening open = {.with = ck_sealed_sealer(self, &home), .visit_event = visit, .to = visitor};
  status = self->inner.read_events(self->inner.self, rows, visit_event, &open, err);
  return end_opening(&open, status, err);
}

ck_status ck_sealed_read_checkpoints(void *to, const ck_checkpoint_rows *rows,
                                     ck_checkpoint_row_visit visit, void *visitor, ck_error *err) {
  ck_sealed *self = to;
  ck_sealed_home home;
  ck_status status = ck_sealed_get_home(&home, self, rows->session, err);
  if (status) return status == CK_E_NOT_FOUND ? CK_OK : status;
  opening open = {.with = ck_sealed_sealer(self, &home), .visit_checkpoint = visit, .to = visitor};
  status = self->inner.read_checkpoints(self->inner.self, rows, visit_checkpoint, &open, err);
  return end_opening(&open, status, err);
}

/* ---- sessions ---- */

static ck_status open_record(ck_session_record *record, const ck_sealed *self, ck_error *err) {
  ck_sealed_home home = {.created_ms = record->created_ms};
  ck_value *input = NULL;
  char *reason = NULL, *description = NULL, *node = NULL;
  memcpy(home.id, record->id, sizeof home.id);
  ck_sealer with = ck_sealed_sealer(self, &home);
  ck_status status = ck_sealed_decode_value(&input, &with, "input", "", record->input, err);
  if (!status) status = ck_sealed_decode_text(&reason, &with, "reason", record->reason, err);
  if (!status)
    status = ck_sealed_decode_text(&description, &with, "description", record->description, err);
  if (!status) status = ck_sealed_decode_text(&node, &with, "node", record->node, err);
  if (status) {
    ck_value_free(input);
    free(reason);
    free(description);
    if (status != CK_E_NO_MEMORY) ck_error_prefix(err, "session %s", record->id);
    return status;
  }
  ck_value_free(record->input);
  free(record->reason);
  free(record->description);
  free(record->node);
  record->input = input;
  record->reason = reason;
  record->description = description;
  record->node = node;
  return CK_OK;
}

static ck_status get_session(ck_session_record *out, void *to, const char *session_id,
                             ck_error *err) {
  ck_sealed *self = to;
  ck_status status = self->inner.get_session(out, self->inner.self, session_id, err);
  if (status) return status;
  status = open_record(out, self, err);
  if (status) ck_session_record_clear(out);
  return status;
}

typedef struct listing {
  const ck_sealed *sealed;
  ck_session_visit visit;
  void *to;
  ck_status status;
} listing;

/* The parts that opening replaces, copied. False without memory. */
static bool copy_sealed(ck_session_record *out, const ck_session_record *stored) {
  *out = *stored;
  out->input = ck_value_share(stored->input);
  out->reason = stored->reason ? strdup(stored->reason) : NULL;
  out->description = stored->description ? strdup(stored->description) : NULL;
  out->node = stored->node ? strdup(stored->node) : NULL;
  return (out->reason || !stored->reason) && (out->description || !stored->description) &&
         (out->node || !stored->node);
}

static void clear_sealed(ck_session_record *self) {
  ck_value_free(self->input);
  free(self->reason);
  free(self->description);
  free(self->node);
  self->input = NULL;
  self->reason = self->description = self->node = NULL;
}

/* The stored record is borrowed, so it is opened in a copy. One that cannot be opened is listed
 * without its input, with the fault as its reason. */
static bool visit_session(void *to, const ck_session_record *stored) {
  listing *self = to;
  ck_error fault = CK_ERROR_INIT;
  ck_session_record record;
  bool copied = copy_sealed(&record, stored);
  ck_status status = copied ? open_record(&record, self->sealed, &fault) : CK_E_NO_MEMORY;
  if (status && status != CK_E_NO_MEMORY) {
    clear_sealed(&record);
    record.reason = strdup(fault.text);
    status = record.reason ? CK_OK : CK_E_NO_MEMORY;
  }
  self->status = status;
  bool more = status == CK_OK && self->visit(self->to, &record);
  clear_sealed(&record);
  return more;
}

static ck_status list_sessions(void *to, const ck_session_query *query, ck_session_visit visit,
                               void *visitor, ck_error *err) {
  ck_sealed *self = to;
  listing list = {self, visit, visitor, CK_OK};
  ck_status status = self->inner.list_sessions(self->inner.self, query, visit_session, &list, err);
  return status || !list.status ? status : ck_error_no_memory(err);
}

static ck_status list_forks(void *to, int64_t session, ck_session_visit visit, void *visitor,
                            ck_error *err) {
  ck_sealed *self = to;
  listing list = {self, visit, visitor, CK_OK};
  ck_status status = self->inner.list_forks(self->inner.self, session, visit_session, &list, err);
  return status || !list.status ? status : ck_error_no_memory(err);
}

/* ---- facts ---- */

/* Replaces the sealed value. */
static ck_status open_fact(ck_value **out, const ck_sealed *self, const char *owner,
                           const char *key, const ck_value *stored, ck_error *err) {
  ck_sealed_home nowhere = {.created_ms = 0};
  ck_sealer with = ck_sealed_sealer(self, &nowhere);
  ck_buffer name = {0};
  *out = NULL;
  ck_sealed_append_fact_name(&name, owner, key);
  ck_status status = ck_buffer_check(&name, err);
  if (!status) status = ck_sealed_check_value(self, "fact", stored, err);
  if (!status) status = ck_sealed_decode_value(out, &with, "fact", name.data, stored, err);
  if (status && status != CK_E_NO_MEMORY) ck_error_prefix(err, "fact '%.100s'", key);
  ck_buffer_clear(&name);
  return status;
}

static ck_status get_fact(ck_value **out, void *to, const char *owner, const char *key,
                          ck_error *err) {
  ck_sealed *self = to;
  ck_value *stored;
  *out = NULL;
  ck_status status = self->inner.get_fact(&stored, self->inner.self, owner, key, err);
  if (status || !stored) return status;
  status = open_fact(out, self, owner, key, stored, err);
  ck_value_free(stored);
  return status;
}

typedef struct fact_listing {
  const ck_sealed *self;
  ck_fact_visit visit;
  void *visitor;
  ck_status status;
  ck_error *err;
} fact_listing;

static bool visit_fact(void *to, const ck_fact *sealed) {
  fact_listing *list = to;
  ck_fact fact = *sealed;
  ck_value *value;
  list->status =
      open_fact(&value, list->self, sealed->owner, sealed->key, sealed->value, list->err);
  if (list->status) return false;
  fact.value = value;
  bool more = list->visit(list->visitor, &fact);
  ck_value_free(value);
  return more;
}

static ck_status list_facts(void *to, const ck_fact_query *query, ck_fact_visit visit,
                            void *visitor, ck_error *err) {
  ck_sealed *self = to;
  fact_listing list = {self, visit, visitor, CK_OK, err};
  ck_status status = self->inner.list_facts(self->inner.self, query, visit_fact, &list, err);
  return status ? status : list.status;
}

/* ---- functions that pass rows on as they are ---- */

#define INNER(to) (((ck_sealed *)(to))->inner)

static ck_status check_owner(void *to, const char *session_id, ck_error *err) {
  return INNER(to).check_owner(INNER(to).self, session_id, err);
}
static void release(void *to, ck_lease lease) { INNER(to).release(INNER(to).self, lease); }

static void set_fault(void *to, ck_lease lease, const char *text) {
  INNER(to).set_fault(INNER(to).self, lease, text);
}
static void get_fault(char out[CK_STORE_FAULT_MAX], void *to, const char *session_id) {
  INNER(to).get_fault(out, INNER(to).self, session_id);
}

static ck_status list_pins(int64_t **out, size_t *count, void *to, int64_t session, ck_error *err) {
  return INNER(to).list_pins(out, count, INNER(to).self, session, err);
}
static ck_status list_bases(int64_t **out, size_t *count, void *to, int64_t session,
                            ck_error *err) {
  return INNER(to).list_bases(out, count, INNER(to).self, session, err);
}
static ck_status get_identity(ck_identity *out, void *to, int64_t session, ck_error *err) {
  return INNER(to).get_identity(out, INNER(to).self, session, err);
}
static ck_status list_timelines(ck_timeline **out, size_t *count, void *to, int64_t session,
                                ck_error *err) {
  return INNER(to).list_timelines(out, count, INNER(to).self, session, err);
}
static ck_status last_seq(int64_t *out, void *to, int64_t session, ck_error *err) {
  return INNER(to).last_seq(out, INNER(to).self, session, err);
}
static ck_status count_events(int64_t *out, void *to, int64_t session, ck_error *err) {
  return INNER(to).count_events(out, INNER(to).self, session, err);
}
static ck_status count_checkpoints(ck_checkpoint_count *out, void *to,
                                   const ck_checkpoint_rows *rows, ck_error *err) {
  return INNER(to).count_checkpoints(out, INNER(to).self, rows, err);
}
static ck_status compare_key_entry(ck_buffer *out, bool *same, void *to, ck_error *err) {
  return INNER(to).compare_key_entry(out, same, INNER(to).self, err);
}
static ck_status check(void *to, ck_problem_visit visit, void *visitor, int64_t *problems,
                       ck_error *err) {
  return INNER(to).check(INNER(to).self, visit, visitor, problems, err);
}
static ck_status check_inventory(void *to, ck_problem_visit visit, void *visitor, int64_t *problems,
                                 ck_error *err) {
  return INNER(to).inventory.check(INNER(to).self, visit, visitor, problems, err);
}
static ck_status get_generation(uint64_t *out, void *to, ck_error *err) {
  return INNER(to).inventory.get_generation(out, INNER(to).self, err);
}
static void watch_generation(void *to, ck_generation_visit advance, void *visitor) {
  INNER(to).inventory.watch(INNER(to).self, advance, visitor);
}
static ck_status accept_inventory(void *to, uint64_t generation, ck_error *err) {
  return INNER(to).inventory.accept(INNER(to).self, generation, err);
}
static ck_status get_stats(ck_store_stats *out, void *to, ck_error *err) {
  return INNER(to).get_stats(out, INNER(to).self, err);
}
static const uint8_t *fingerprint_key(void *to) {
  return INNER(to).fingerprint_key(INNER(to).self);
}

/* Optional functions are provided when the wrapped backend provides them. */
void ck_sealed_add_reads(ck_backend *out) {
  const ck_backend *inner = &INNER(out->self);
  out->read_events = ck_sealed_read_events;
  out->read_checkpoints = ck_sealed_read_checkpoints;
  out->get_session = get_session;
  out->list_sessions = list_sessions;
  out->check_owner = check_owner;
  out->release = release;
  out->get_identity = get_identity;
  out->list_timelines = list_timelines;
  out->last_seq = last_seq;
  out->count_events = count_events;
  out->get_stats = get_stats;
  if (inner->count_checkpoints) out->count_checkpoints = count_checkpoints;
  if (inner->get_head) out->get_head = ck_sealed_get_head;
  if (inner->get_about) out->get_about = ck_sealed_get_about;
  out->fingerprint_key = fingerprint_key;
  if (inner->list_forks) out->list_forks = list_forks;
  if (inner->get_fact) out->get_fact = get_fact;
  if (inner->list_facts) out->list_facts = list_facts;
  if (inner->set_fault) out->set_fault = set_fault;
  if (inner->get_fault) out->get_fault = get_fault;
  if (inner->list_pins) out->list_pins = list_pins;
  if (inner->list_bases) out->list_bases = list_bases;
  if (inner->check) out->check = check;
  if (inner->inventory.check)
    out->inventory = (ck_inventory_functions){.check = check_inventory,
                                              .get_generation = get_generation,
                                              .watch = watch_generation,
                                              .accept = accept_inventory};
  if (inner->compare_key_entry) out->compare_key_entry = compare_key_entry;
}
