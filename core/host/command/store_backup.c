/* store_backup.c - store backup: a whole copy of the store, also while sessions run in it. */
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/print/key_values.h"
#include "core/host/run/archive.h"
#include "core/host/session/store_location.h"
#include "core/store/backup.h"

typedef struct values {
  const char *file;
} values;

typedef struct copying {
  ck_store *store;
  char *path; /* of the copy, in full */
} copying;

/* What the results in the copy name is all there by now. */
static ck_status copy_spills(void *to, const char *path, ck_error *err) {
  copying *self = to;
  self->path = strdup(path);
  return self->path
             ? ck_archive_copy_spills(ck_store_url(self->store), self->store, NULL, path, err)
             : ck_error_no_memory(err);
}

static ck_status print(ck_output *output, const char *path, const ck_backup_report *report,
                       ck_error *err) {
  ck_key_values facts;
  ck_key_values_init(&facts, output);
  ck_key_values_put_text(&facts, "backup", path);
  ck_key_values_put_count(&facts, "sessions", report->sessions);
  ck_key_values_put_bytes(&facts, "file_bytes", report->bytes);
  ck_status status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_store_location location;
  ck_store *store = NULL;
  ck_backup_report report;
  copying self = {0};
  ck_backup_order order = {.before = copy_spills, .to = &self};
  ck_status status = ck_store_location_find(&location, host, err);
  if (status == CK_OK) status = ck_store_location_check_file(&order.file, v->file, err);
  if (status == CK_OK) status = ck_store_location_open_store(&store, &location, err);
  self.store = store;
  if (status == CK_OK) status = ck_store_backup(&report, store, &order, err);
  ck_store_close(store);
  if (status == CK_OK) status = print(host->output, self.path, &report, err);
  free(self.path);
  ck_store_location_clear(&location);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .offset = offsetof(values, file),
     .help = "the copy: a new store, in a folder that exists",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_example examples[] = {
    {"ckrun store backup copy.db", "a whole copy, while sessions run"},
    {0},
};

const ck_command ck_command_store_backup = {
    .name = "store backup",
    .summary = "copy the store as it is now, also while sessions run in it",
    .details =
        "The copy is the store at one moment: everything that was committed before, in whole "
        "commits. It is written under another name, synced, and renamed, so FILE is absent or "
        "whole; an existing file is not replaced. Nobody waits for it. The copy is a store at "
        "rest, in one file, with the same key; long outputs of programs are copied into "
        "FILE.spill. A session that runs meanwhile is one in the copy whose process is gone: "
        "'ckrun resume' goes on with it there, and then both do what is left of it, so let only "
        "one go on.\n\n"
        "Copying the file of a store by other means is safe at rest only, when no session runs.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
