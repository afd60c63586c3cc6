/* key.c - the entry about the key of a store in memory. */
#include "core/store/memory/memory.h"

static ck_status get_key_entry(ck_buffer *out, void *self, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  ck_buffer_append_bytes(out, ck_buffer_bytes(&memory->key_entry));
  return ck_memory_unlock(memory, ck_buffer_check(out, err));
}

static ck_status put_key_entry(void *self, ck_bytes entry, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  if (memory->session_count || memory->fact_count || memory->key_entry.len)
    return ck_memory_unlock(
        memory, ck_error_set(err, CK_E_REFUSED, "store memory:%s is not empty", memory->name));
  ck_buffer_append_bytes(&memory->key_entry, entry);
  return ck_memory_unlock(memory, ck_buffer_check(&memory->key_entry, err));
}

static ck_status count_events(int64_t *out, void *self, int64_t session, ck_error *err) {
  (void)err;
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *found = ck_memory_get_session(memory, session);
  *out = found ? (int64_t)found->events.count : 0;
  return ck_memory_unlock(memory, CK_OK);
}

void ck_memory_add_key(ck_backend *out) {
  out->get_key_entry = get_key_entry;
  out->put_key_entry = put_key_entry;
  out->count_events = count_events;
}
