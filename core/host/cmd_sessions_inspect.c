/* cmd_sessions_inspect.c - sessions inspect: the state that a checkpoint restores. */
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/host/commands.h"
#include "core/host/look.h"
#include "core/host/pick.h"
#include "core/host/table.h"

typedef struct values {
  const char *session, *checkpoint;
} values;

static const ck_column columns[] = {{"KEY", false}, {"BYTES", true}, {"VALUE", false}, {NULL, false}};

typedef struct inspection {
  ck_output *output;
  ck_look look;
  const ck_checkpoint_info *checkpoint; /* NULL: there is none; the state is empty */
  ck_state *state;
  ck_state_entry *entries;
  size_t count;
} inspection;

static ck_status print_table(const inspection *self, ck_error *err) {
  ck_table table;
  ck_table_init(&table, self->output, columns);
  for (size_t i = 0; i < self->count; i++) {
    ck_bytes value = ck_value_bytes(self->entries[i].value);
    ck_table_put_text(&table, ck_bytes_text(self->entries[i].key));
    ck_table_put_bytes(&table, (int64_t)value.len);
    ck_table_put_text(&table, value);
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_json(const inspection *self, ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "session", self->look.head.session.id);
  if (self->checkpoint)
    ck_look_put_checkpoint(&document, ck_document_put_object(&document, NULL, "checkpoint"), self->checkpoint);
  struct cJSON *state = ck_document_put_object(&document, NULL, "state");
  for (size_t i = 0; i < self->count; i++)
    ck_document_put_value(&document, state, self->entries[i].key, self->entries[i].value);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static void talk_header(const inspection *self) {
  const ck_checkpoint_info *checkpoint = self->checkpoint;
  char time[CK_TIME_TEXT_SIZE];
  if (!checkpoint) {
    ck_output_talk(self->output, "no checkpoint yet: the state is empty");
    return;
  }
  ck_time_text(time, checkpoint->created_ms);
  ck_output_talk(self->output, "%s: %s at seq %lld, %s, %zu %s", checkpoint->id, ck_boundary_kind_name(checkpoint->kind),
                 (long long)checkpoint->seq, time, self->count, self->count == 1 ? "key" : "keys");
}

static ck_status inspect(inspection *self, ck_error *err) {
  ck_status status = CK_OK;
  if (self->checkpoint)
    status = ck_store_get_state(&self->state, self->look.store, self->look.head.session.no, self->checkpoint->seq, err);
  if (status == CK_OK && self->state) status = ck_state_list(&self->entries, &self->count, self->state, err);
  if (status != CK_OK) return status;
  if (self->output->json) return print_json(self, err);
  talk_header(self);
  return self->count ? print_table(self, err) : CK_OK;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_checkpoint_info chosen = {0};
  inspection self = {.output = host->output};
  ck_status status = ck_look_open_session(&self.look, host, v->session, err);
  if (status != CK_OK) return status;
  if (self.look.head.has_checkpoint) self.checkpoint = &self.look.head.checkpoint;
  if (v->checkpoint) {
    status = ck_pick_checkpoint(&chosen, &self.look, v->checkpoint, err);
    self.checkpoint = &chosen;
  }
  if (status == CK_OK) status = inspect(&self, err);
  free(self.entries);
  ck_state_free(self.state);
  ck_checkpoint_info_clear(&chosen);
  ck_look_close(&self.look);
  return status;
}

static const ck_operand operands[] = {
  {.name = "SESSION", .offset = offsetof(values, session), .help = "its id", .complete = CK_COMPLETE_SESSION},
  {0},
};

static const ck_option options[] = {
  {.name = "checkpoint", .type = CK_OPTION_TEXT, .offset = offsetof(values, checkpoint), .value = "CHECKPOINT",
   .help = "this one instead of the latest: " CK_PICK_HELP},
  {0},
};

const ck_command ck_command_sessions_inspect = {
  .name = "sessions inspect",
  .summary = "show the state that a checkpoint restores",
  .details = "Columns: key, bytes, value. With --json the checkpoint and all values, byte for byte.",
  .operands = operands,
  .options = options,
  .run = run,
};
