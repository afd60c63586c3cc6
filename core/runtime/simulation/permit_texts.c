/* permit_texts.c - gathers the messages of places, and completes them. */
#include "core/runtime/simulation/permit_texts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/simulation/message_texts.h"

typedef struct reading {
  ck_permit_texts *to;
  ck_status status;
  ck_error *err;
} reading;

void ck_permit_texts_clear(ck_permit_texts *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_shown_message_clear(&self->list[i].message);
    free(self->list[i].scope);
  }
  free(self->list);
  *self = (ck_permit_texts){0};
}

ck_bytes ck_permit_place_of(const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  if (event->kind == CK_EVENT_OUTCOME) body = ck_json_get(body, "denied");
  return ck_json_get(body, "at");
}

static bool visit(void *to, const ck_event *event) {
  reading *self = to;
  ck_permit_texts *texts = self->to;
  ck_bytes message = ck_json_get(ck_permit_place_of(event), "last_message");
  if (ck_json_type_of(message) != CK_JSON_OBJECT) return true;
  ck_permit_text *list = ck_array_grow(texts->list, texts->count, &texts->cap, sizeof *list);
  if (!list) self->status = ck_error_no_memory(self->err);
  if (!list) return false;
  texts->list = list;
  ck_permit_text *made = &list[texts->count];
  *made = (ck_permit_text){
      .seq = event->seq, .timeline = event->timeline, .scope = strdup(event->scope)};
  texts->count++;
  self->status = made->scope ? ck_shown_message_read(&made->message, message, self->err)
                             : ck_error_no_memory(self->err);
  return self->status == CK_OK;
}

static ck_status complete(ck_permit_texts *self, ck_store *store, const ck_head *head,
                          ck_error *err) {
  ck_message_place *places = calloc(self->count + 1, sizeof *places);
  if (!places) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->count; i++)
    places[i] = (ck_message_place){.timeline = self->list[i].timeline,
                                   .seq = self->list[i].seq,
                                   .scope = self->list[i].scope,
                                   .message = &self->list[i].message};
  ck_status status = ck_message_texts_find(places, self->count, store, head, err);
  free(places);
  return status;
}

ck_status ck_permit_texts_read(ck_permit_texts *out, ck_store *store, const ck_head *head,
                               const ck_shown_as *as, ck_error *err) {
  *out = (ck_permit_texts){0};
  reading self = {.to = out, .err = err};
  ck_event_query query = {.session = head->session.no,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME};
  ck_status status = ck_store_read_events(store, &query, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && as->text == CK_TEXT_SHOWN) status = complete(out, store, head, err);
  if (status != CK_OK) ck_permit_texts_clear(out);
  return status;
}

static int compare(const void *key, const void *of) {
  int64_t a = *(const int64_t *)key, b = ((const ck_permit_text *)of)->seq;
  return (a > b) - (a < b);
}

const ck_shown_message *ck_permit_texts_get(const ck_permit_texts *self, int64_t seq) {
  if (!self->count) return NULL;
  const ck_permit_text *found = bsearch(&seq, self->list, self->count, sizeof *self->list, compare);
  return found ? &found->message : NULL;
}
