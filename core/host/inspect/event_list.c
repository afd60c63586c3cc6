/* event_list.c - the events of a session, a line or an object each. */
#include "core/host/inspect/event_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/host/inspect/tones.h"
#include "core/host/print/pretty.h"
#include "core/host/session/accepted.h"
#include "core/host/session/fields.h"
#include "core/host/session/short_id.h"
#include "core/runtime/session/tail/describe.h"

enum { LABELLED = sizeof "checkpoint " - 1 + CK_SHORT_ID_LEN };

static const ck_column columns[] = {
    {"SEQ", true},
    {"TIME", CK_COLUMN_SPARE(1)},
    {"KIND", false},
    {"SCOPE", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(3)},
    {"EVENT", CK_COLUMN_WRAP},
    {NULL, false},
};
static const ck_column columns_of_all[] = {
    {"SEQ", true},
    {"TIME", CK_COLUMN_SPARE(1)},
    {"KIND", false},
    {"SCOPE", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(3)},
    {"TIMELINE", false},
    {"EVENT", CK_COLUMN_WRAP},
    {NULL, false},
};
/* While it is followed nobody knows what is still to come. */
static const size_t least[CK_TABLE_COLUMNS_MAX] = {7, 8, 17, 12, 12, 0, 0};

/* On a terminal the checkpoint's short id, "checkpoint 3b778623": its whole one is wider than what
 * a line has left. */
static void shorten(ck_buffer *text, const ck_event *event) {
  ck_buffer id = {0};
  ck_json_read_string(&id, ck_json_get(ck_value_bytes(event->body), "checkpoint"));
  const char *tail = id.len ? ck_short_id_tail(id.data) : NULL;
  char *at = tail ? memmem(text->data, text->len, id.data, id.len) : NULL;
  if (at) {
    char *end = at + id.len;
    bool named = (at > text->data && at[-1] == '=') || id.len < LABELLED;
    char *to = named ? at : stpcpy(at, "checkpoint ");
    memmove(to, tail, CK_SHORT_ID_LEN);
    memmove(to + CK_SHORT_ID_LEN, end, (size_t)(text->data + text->len - end));
    text->len -= (size_t)(end - to) - CK_SHORT_ID_LEN;
  }
  text->failed |= id.failed;
  ck_buffer_clear(&id);
}

static void put_row(ck_event_list *self, const ck_event *event, bool abandoned) {
  ck_table *table = &self->table;
  ck_tone tone = abandoned ? CK_TONE_FAINT : ck_event_tone(event);
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_count(table, event->seq);
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_clock(table, event->at_ms);
  ck_table_tone(table, tone);
  ck_table_put_word(table, ck_event_kind_name(event->kind));
  ck_table_put_text(table, ck_bytes_text(event->scope));
  ck_table_put_text(table, ck_bytes_text(event->agent));
  if (self->all) {
    char timeline[48];
    snprintf(timeline, sizeof timeline, "%lld%s", (long long)event->timeline,
             abandoned ? " (abandoned)" : "");
    ck_table_put_word(table, timeline);
  }
  ck_buffer_reset(&self->text);
  ck_describe_event(&self->text, event);
  if (table->aligned) shorten(&self->text, event);
  ck_accepted_append(&self->text, event);
  ck_taken_answers_append(&self->text, &self->answers, event);
  if (self->text.failed) table->text.failed = true;
  ck_table_tone(table, tone);
  ck_table_put_text(table, ck_buffer_bytes(&self->text));
}

static bool print_json(ck_event_list *self, const ck_event *event, bool abandoned) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_fields_put_event(&document, NULL, event);
  if (self->all) ck_document_put_bool(&document, NULL, "abandoned", abandoned);
  self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return self->status == CK_OK;
}

static bool print(ck_event_list *self, const ck_event *event) {
  bool abandoned = ck_abandoned_has_record(&self->abandoned, event);
  if (abandoned && !self->all) return true;
  self->printed = true;
  if (self->output->json && !print_json(self, event, abandoned)) return false;
  if (!self->output->json) put_row(self, event, abandoned);
  return ck_output_is_read(self->output);
}

/* Its columns as names and values, and the body over several lines. */
static bool print_whole(ck_event_list *self, const ck_event *event) {
  ck_buffer text = {0}, shown = {0};
  char at[CK_TIME_TEXT_SIZE];
  ck_time_text(at, event->at_ms);
  self->printed = true;
  if (self->output->json) return print_json(self, event, false);
  ck_buffer_append_format(&text, "seq %lld, %s, %s, scope %s%s%s, timeline %lld\n",
                          (long long)event->seq, ck_event_kind_name(event->kind), at, event->scope,
                          event->agent ? ", agent " : "", event->agent ? event->agent : "",
                          (long long)event->timeline);
  ck_pretty_append(&text, ck_value_bytes(event->body));
  ck_buffer_append_char(&text, '\n');
  ck_output_append_lines(self->output, &shown, ck_buffer_bytes(&text));
  ck_output_write(self->output, ck_buffer_bytes(&shown));
  self->output->failed |= text.failed || shown.failed;
  ck_buffer_clear(&text);
  ck_buffer_clear(&shown);
  return false;
}

static bool visit(void *to, const ck_event *event) {
  ck_event_list *self = to;
  self->after = event->seq;
  return self->one ? print_whole(self, event) : print(self, event);
}

static bool keep_last(void *to, const ck_event *event) {
  ck_event_list *self = to;
  if (event->seq > self->after) self->after = event->seq; /* its head may be an older one */
  if (!self->all && ck_abandoned_has_record(&self->abandoned, event)) return true;
  ck_event **last = ck_array_grow(self->last, self->last_count, &self->last_cap, sizeof *last);
  if (!last) self->status = ck_error_no_memory(self->err);
  if (!last) return false;
  self->last = last;
  self->status = ck_event_new(&self->last[self->last_count], event, self->err);
  self->last_count += self->status == CK_OK;
  return self->status == CK_OK && self->last_count < self->last_max;
}

/* The last of them are found from the end: how many are left out is not known before. */
static ck_status print_last(ck_event_list *self, ck_store *store, ck_event_query *query) {
  query->backward = true;
  ck_status status = ck_store_read_events(store, query, keep_last, self, self->err);
  bool more = status == CK_OK && self->status == CK_OK;
  for (size_t i = self->last_count; i-- > 0;) {
    if (more) more = print(self, self->last[i]);
    ck_event_free(self->last[i]);
  }
  free(self->last);
  self->last = NULL;
  self->last_max = self->last_count = self->last_cap = 0;
  return status;
}

ck_status ck_event_list_read(ck_event_list *self, const ck_inspection *inspection,
                             const ck_event_list_wanted *v) {
  const ck_head *head = &inspection->head;
  ck_store *store = inspection->store;
  ck_view view;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, self->err);
  ck_event_query query = {
      .session = head->session.no, .view = self->all ? NULL : &view, .agent = v->agent};
  if (v->before) query.until = v->before - 1;
  if (self->one) query = (ck_event_query){.session = query.session, .until = v->seq};
  query.after = self->one ? v->seq - 1 : self->after;
  if (v->kind && !self->one) query.kinds = UINT64_C(1) << ck_event_kind_of(v->kind);
  if (status == CK_OK)
    status = ck_abandoned_read(&self->abandoned, store, query.session, &view, 0, self->err);
  if (status == CK_OK && v->before != 1)
    status = self->last_max ? print_last(self, store, &query)
                            : ck_store_read_events(store, &query, visit, self, self->err);
  if (status == CK_OK && self->after < head->last_seq) self->after = head->last_seq;
  ck_abandoned_clear(&self->abandoned);
  ck_view_clear(&view);
  return status == CK_OK ? self->status : status;
}

/* What became of the session since: first whether it is run, then its events. */
ck_status ck_event_list_look(ck_inspection *of, ck_error *err) {
  ck_head head;
  ck_error owned = CK_ERROR_INIT;
  ck_status owner = ck_store_check_owner(of->store, of->head.session.id, &owned);
  if (owner == CK_E_IO) return ck_error_set(err, owner, "%s", owned.text);
  bool live = owner == CK_E_OWNED;
  ck_status status = ck_store_get_head(&head, of->store, of->head.session.id, err);
  if (status != CK_OK) return status;
  ck_head_clear(&of->head);
  of->head = head;
  of->live = live && head.session.status == CK_SESSION_RUNNING;
  return CK_OK;
}

ck_status ck_event_list_go_on(ck_event_list *self, ck_inspection *of,
                              const ck_event_list_wanted *wanted) {
  ck_table_restart(&self->table);
  ck_status status = ck_event_list_look(of, self->err);
  if (status == CK_OK && of->head.last_seq > self->after)
    status = ck_event_list_read(self, of, wanted);
  /* What was read before a failure is not read again. */
  ck_error ignored = CK_ERROR_INIT;
  ck_status printed = ck_table_print(&self->table, status == CK_OK ? self->err : &ignored);
  return status == CK_OK ? printed : status;
}

ck_status ck_event_list_open(ck_event_list *self, const ck_inspection *of, bool follows) {
  ck_table_init(&self->table, self->output, self->all ? columns_of_all : columns);
  if (follows) ck_table_hold(&self->table, least);
  bool resumes = of->head.timeline_count > 1 || follows; /* what tells of answers */
  if (!resumes || self->all || self->output->json) return CK_OK;
  return ck_taken_answers_read(&self->answers, of, self->err);
}

void ck_event_list_close(ck_event_list *self) {
  ck_buffer_clear(&self->text);
  ck_taken_answers_clear(&self->answers);
  ck_table_clear(&self->table);
}
