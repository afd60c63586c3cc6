/* victim.c - makes the session that is damaged. */
#include "tests/store/victim.h"

ck_memory_session *victim_session_of(ck_store *store, size_t at) {
  return ((ck_memory_handle *)store->backend.self)->memory->sessions[at];
}

/* Two timelines: the second one goes on from an older checkpoint. */
void victim_open(victim *self) {
  ck_error err = CK_ERROR_INIT;
  history_must(ck_store_open(&self->store, "memory:", &(ck_store_options){.create = true}, &err),
               &err, "open a store");
  history_begin(&self->past, self->store, "victim", 31);
  self->past.value_max = 600;
  for (int i = 0; i < VICTIM_STEPS / 2; i++) history_go(&self->past, 2);
  history_resume(&self->past, VICTIM_REWOUND);
  for (int i = 0; i < VICTIM_STEPS / 2; i++) history_go(&self->past, 2);
  self->session = victim_session_of(self->store, 0);
}

void victim_close(victim *self) {
  history_clear(&self->past);
  ck_store_close(self->store);
}

ck_checkpoint_row *victim_checkpoint(victim *self, size_t index) {
  return self->session->checkpoints.rows[index];
}

ck_event_row *victim_event(victim *self, int64_t seq) {
  return self->session->events.rows[seq - 1];
}
