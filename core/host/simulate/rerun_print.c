/* rerun_print.c - what policies answer to a hook over recorded sessions, as tables and as JSON. */
#include <stdio.h>
#include <string.h>

#include "core/host/simulate/rerun_sum.h"

/* ---- JSON ---- */

static void put_counts(ck_document *document, struct cJSON *at, const char *name,
                       const char *member, const ck_rerun_counts *counts) {
  struct cJSON *list = ck_document_put_array(document, at, name);
  for (size_t i = 0; i < counts->count; i++) {
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, row, member, counts->list[i].name);
    ck_document_put_int(document, row, "count", counts->list[i].count);
  }
}

void ck_rerun_put_sum(ck_document *document, struct cJSON *at, const ck_rerun_sum *sum) {
  ck_document_put_int(document, at, "asked", sum->asked);
  put_counts(document, at, "answers", "answer", &sum->answers);
  put_counts(document, at, "reasons", "reason", &sum->reasons);
  if (sum->questions) ck_document_put_int(document, at, "questions", sum->questions);
  ck_document_put_int(document, at, "as_recorded", sum->as_recorded);
  ck_document_put_int(document, at, "otherwise", sum->otherwise);
  ck_document_put_int(document, at, "not_recorded", sum->not_recorded);
  ck_document_put_int(document, at, "untold", sum->untold);
  put_counts(document, at, "unknown", "field", &sum->unknown);
  ck_document_put_int(document, at, "failures", sum->failures);
  if (sum->failures) ck_document_put_text(document, at, "failure", sum->failure.text);
}

static void put_said(ck_document *document, struct cJSON *row, const char *name,
                     const ck_rerun_said *said) {
  if (!said->word) return;
  struct cJSON *at = ck_document_put_object(document, row, name);
  ck_document_put_text(document, at, "answer", said->word);
  ck_document_put_text(document, at, "policies", said->policies);
  ck_document_put_text(document, at, "text", said->text);
}

void ck_rerun_put_place(ck_document *document, struct cJSON *row, const ck_rerun_place *place) {
  ck_document_put_int(document, row, "seq", place->seq);
  ck_document_put_text(document, row, "about", place->about);
  put_said(document, row, "recorded", &place->then);
  put_said(document, row, "now", &place->now);
  ck_document_put_text(document, row, "unknown", place->unknown);
  ck_document_put_bool(document, row, "differs", ck_hook_rerun_differs(place));
  ck_document_put_bool(document, row, "failed", place->failed);
}

void ck_rerun_put_places(ck_document *document, struct cJSON *list, const ck_hook_rerun *of) {
  for (size_t i = 0; i < of->count; i++)
    ck_rerun_put_place(document, ck_document_put_object(document, list, NULL), &of->list[i]);
}

/* ---- sums ---- */

typedef struct printing {
  ck_table table;
  const ck_rerun_sum *const *sums;
  size_t count;
} printing;

static void put_row(printing *self, const char *name, size_t member) {
  ck_table_put_word(&self->table, name);
  for (size_t i = 0; i < self->count; i++) {
    int64_t number;
    memcpy(&number, (const char *)self->sums[i] + member, sizeof number);
    ck_table_put_count(&self->table, number);
  }
}

static const ck_rerun_counts *counts_of(const printing *self, size_t column, size_t member) {
  return (const ck_rerun_counts *)(const void *)((const char *)self->sums[column] + member);
}

static bool printed_before(const printing *self, size_t column, size_t member, const char *name) {
  bool any = false;
  for (size_t i = 0; i < column; i++)
    any |= ck_rerun_counts_get(counts_of(self, i, member), name) > 0;
  return any;
}

/* A row for each name that any profile has, below `in` (NULL: all). */
static void put_names(printing *self, size_t member, const char *in) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_rerun_counts *counts = counts_of(self, i, member);
    for (size_t k = 0; k < counts->count; k++) {
      const char *name = counts->list[k].name;
      size_t len = in ? strlen(in) : 0;
      if (in && (strncmp(name, in, len) != 0 || strncmp(name + len, ": ", 2) != 0)) continue;
      if (printed_before(self, i, member, name)) continue;
      ck_buffer text = {0};
      ck_buffer_append_format(&text, in ? "    %s" : "  %s", in ? name + len + 2 : name);
      self->table.text.failed |= text.failed;
      ck_table_put_text(&self->table, ck_buffer_bytes(&text));
      ck_buffer_clear(&text);
      for (size_t c = 0; c < self->count; c++)
        ck_table_put_count(&self->table, ck_rerun_counts_get(counts_of(self, c, member), name));
    }
  }
}

/* Each answer with its reasons. */
static void put_answers(printing *self) {
  size_t member = offsetof(ck_rerun_sum, answers);
  for (size_t i = 0; i < self->count; i++) {
    const ck_rerun_counts *counts = counts_of(self, i, member);
    for (size_t k = 0; k < counts->count; k++) {
      const char *name = counts->list[k].name;
      if (printed_before(self, i, member, name)) continue;
      char label[64];
      snprintf(label, sizeof label, "  %s", name);
      ck_table_put_word(&self->table, label);
      for (size_t c = 0; c < self->count; c++)
        ck_table_put_count(&self->table, ck_rerun_counts_get(counts_of(self, c, member), name));
      put_names(self, offsetof(ck_rerun_sum, reasons), name);
    }
  }
}

ck_status ck_rerun_print_sums(ck_output *output, ck_rerun_hook hook, const char *const *names,
                              const ck_rerun_sum *const *sums, size_t count, ck_error *err) {
  ck_column columns[CK_TABLE_COLUMNS_MAX + 1] = {{"", false}};
  for (size_t i = 1; i <= count; i++) columns[i] = (ck_column){"", true};
  printing self = {.sums = sums, .count = count};
  char asked[64];
  snprintf(asked, sizeof asked, "asked: %s", ck_rerun_hook_about(hook));
  ck_table_init(&self.table, output, columns);
  ck_table_put_word(&self.table, "profile");
  for (size_t i = 0; i < count; i++) ck_table_put_text(&self.table, ck_bytes_text(names[i]));
  put_row(&self, "sessions", offsetof(ck_rerun_sum, sessions));
  put_row(&self, asked, offsetof(ck_rerun_sum, asked));
  put_answers(&self);
  bool any = false;
  for (size_t i = 0; i < count; i++) any |= sums[i]->questions > 0;
  if (any) put_row(&self, "questions to a person", offsetof(ck_rerun_sum, questions));
  put_row(&self, "answered as recorded", offsetof(ck_rerun_sum, as_recorded));
  put_row(&self, "answered otherwise", offsetof(ck_rerun_sum, otherwise));
  put_row(&self, "no answer recorded", offsetof(ck_rerun_sum, not_recorded));
  put_row(&self, "not told by the session", offsetof(ck_rerun_sum, untold));
  put_names(&self, offsetof(ck_rerun_sum, unknown), NULL);
  ck_status status = ck_table_print(&self.table, err);
  ck_table_clear(&self.table);
  return status;
}

/* ---- the list ---- */

static const ck_column columns[] = {
    {"SESSION", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"SEQ", CK_COLUMN_RIGHT},
    {"ABOUT", CK_COLUMN_CUT},
    {"RECORDED", CK_COLUMN_LEFT},
    {"NOW", CK_COLUMN_LEFT},
    {"WHY", CK_COLUMN_WIDE},
    {NULL, 0},
};
static const ck_column columns_of_several[] = {
    {"SESSION", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"SEQ", CK_COLUMN_RIGHT},
    {"ABOUT", CK_COLUMN_CUT},
    {"RECORDED", CK_COLUMN_LEFT},
    {"PROFILE", CK_COLUMN_CUT},
    {"NOW", CK_COLUMN_LEFT},
    {"WHY", CK_COLUMN_WIDE},
    {NULL, 0},
};

void ck_rerun_list_init(ck_table *out, ck_output *output, bool several) {
  ck_table_init(out, output, several ? columns_of_several : columns);
}

/* "approve: May pay (once) be done?", "failure.try is not recorded". */
static void put_why(ck_table *table, const ck_rerun_place *place) {
  ck_buffer text = {0};
  const ck_rerun_said *now = &place->now;
  if (!now->word)
    ck_buffer_append_format(&text, "%s is not recorded", place->unknown);
  else
    ck_buffer_append_format(&text, "%s%s%s", now->policies ? now->policies : "",
                            now->policies && now->text ? ": " : "", now->text ? now->text : "");
  table->text.failed |= text.failed;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

void ck_rerun_list_add(ck_table *table, const char *session, const char *profile,
                       const ck_hook_rerun *of) {
  for (size_t i = 0; i < of->count; i++) {
    const ck_rerun_place *place = &of->list[i];
    ck_table_put_word(table, session);
    ck_table_put_count(table, place->seq);
    ck_table_put_text(table, ck_bytes_text(place->about));
    ck_table_put_word(table, place->then.word ? place->then.word : "not recorded");
    if (profile) ck_table_put_text(table, ck_bytes_text(profile));
    ck_table_put_word(table, place->now.word ? place->now.word : "not told");
    put_why(table, place);
  }
}
