/* fact.c - facts, in memory. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/memory/memory.h"

static int compare(const ck_memory_fact *fact, const char *owner, const char *key) {
  int by_owner = strcmp(fact->owner, owner);
  return by_owner ? by_owner : strcmp(fact->key, key);
}

/* The index of the first fact that is not before it. */
static size_t find(const ck_memory *memory, const char *owner, const char *key) {
  size_t low = 0, high = memory->fact_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(&memory->facts[middle], owner, key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* NULL: there is none. */
static ck_memory_fact *fact_at(const ck_memory *memory, size_t at, const char *owner,
                               const char *key) {
  bool is = at < memory->fact_count && compare(&memory->facts[at], owner, key) == 0;
  return is ? &memory->facts[at] : NULL;
}

static void free_fact(ck_memory_fact *fact) {
  ck_value_free(fact->value);
  free(fact->owner);
  free(fact->key);
}

static ck_status insert(ck_memory *memory, size_t at, const ck_fact *fact, ck_error *err) {
  ck_memory_fact *grown =
      ck_array_grow(memory->facts, memory->fact_count, &memory->fact_cap, sizeof *grown);
  if (!grown) return ck_error_no_memory(err);
  memory->facts = grown;
  ck_memory_fact made = {.owner = strdup(fact->owner),
                         .key = strdup(fact->key),
                         .value = ck_value_share(fact->value),
                         .at_ms = fact->at_ms};
  if (!made.owner || !made.key) {
    free_fact(&made);
    return ck_error_no_memory(err);
  }
  ck_memory_fact *place = memory->facts + at;
  memmove(place + 1, place, (memory->fact_count++ - at) * sizeof *place);
  *place = made;
  return CK_OK;
}

static void remove_at(ck_memory *memory, size_t at) {
  ck_memory_fact *place = memory->facts + at;
  free_fact(place);
  memmove(place, place + 1, (--memory->fact_count - at) * sizeof *place);
}

static ck_status put(ck_memory *memory, const ck_fact *fact, ck_error *err) {
  size_t at = find(memory, fact->owner, fact->key);
  ck_memory_fact *known = fact_at(memory, at, fact->owner, fact->key);
  if (!fact->value) {
    if (known) remove_at(memory, at);
    return CK_OK;
  }
  if (!known) return insert(memory, at, fact, err);
  ck_value_free(known->value);
  known->value = ck_value_share(fact->value);
  known->at_ms = fact->at_ms;
  return CK_OK;
}

static ck_status put_fact(void *self, const ck_fact *fact, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  return ck_memory_unlock(memory, put(memory, fact, err));
}

static ck_status get_fact(ck_value **out, void *self, const char *owner, const char *key,
                          ck_error *err) {
  (void)err;
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_fact *known = fact_at(memory, find(memory, owner, key), owner, key);
  *out = known ? ck_value_share(known->value) : NULL;
  return ck_memory_unlock(memory, CK_OK);
}

/* ---- lists ---- */

static bool is_asked_for(const ck_memory_fact *fact, const ck_fact_query *query) {
  const char *prefix = query->prefix ? query->prefix : "";
  return (!query->owner || strcmp(fact->owner, query->owner) == 0) &&
         strncmp(fact->key, prefix, strlen(prefix)) == 0;
}

/* The next one that is asked for behind `last` (NULL: the first one), copied into *out; false:
 * there is none. */
static bool next(ck_memory_fact *out, void *self, const ck_memory_fact *last,
                 const ck_fact_query *query, ck_status *status, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  size_t at = last ? find(memory, last->owner, last->key) : 0;
  if (last && fact_at(memory, at, last->owner, last->key)) at++;
  while (at < memory->fact_count && !is_asked_for(&memory->facts[at], query)) at++;
  bool found = at < memory->fact_count;
  *out = (ck_memory_fact){0};
  if (found) {
    const ck_memory_fact *fact = &memory->facts[at];
    *out = (ck_memory_fact){.owner = strdup(fact->owner),
                            .key = strdup(fact->key),
                            .value = ck_value_share(fact->value),
                            .at_ms = fact->at_ms};
    if (!out->owner || !out->key) *status = ck_error_no_memory(err);
  }
  *status = ck_memory_unlock(memory, *status);
  return found && *status == CK_OK;
}

/* The visitor may use the store: it is called without the lock. */
static ck_status list_facts(void *self, const ck_fact_query *query, ck_fact_visit visit,
                            void *visitor, ck_error *err) {
  ck_memory_fact now = {0}, last = {0};
  ck_status status = CK_OK;
  while (next(&now, self, last.key ? &last : NULL, query, &status, err)) {
    ck_fact fact = {now.owner, now.key, now.value, now.at_ms};
    bool more = visit(visitor, &fact);
    free_fact(&last);
    last = now;
    now = (ck_memory_fact){0};
    if (!more) break;
  }
  free_fact(&now);
  free_fact(&last);
  return status;
}

void ck_memory_free_facts(ck_memory *self) {
  for (size_t i = 0; i < self->fact_count; i++) free_fact(&self->facts[i]);
  free(self->facts);
}

void ck_memory_add_facts(ck_backend *out) {
  out->put_fact = put_fact;
  out->get_fact = get_fact;
  out->list_facts = list_facts;
}
