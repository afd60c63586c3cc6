/* store_stats.c - store stats: the contents of the store and their sizes. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/run/spills.h"
#include "core/host/print/table.h"
#include "core/host/print/document.h"
#include "core/store/stats.h"

static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};

typedef enum { COUNT, BYTES } unit;

/* X(name, unit): members of ck_store_stats in the order they are shown. */
/* clang-format off */
#define STATS_TABLE(X) \
  X(sessions, COUNT) \
  X(events, COUNT) \
  X(checkpoints, COUNT) \
  X(keyframes, COUNT) \
  X(event_bytes, BYTES) \
  X(event_plain_bytes, BYTES) \
  X(payload_bytes, BYTES) \
  X(payload_plain_bytes, BYTES) \
  X(file_bytes, BYTES) \
  X(wal_bytes, BYTES) \
  X(free_bytes, BYTES) \
  X(schema, COUNT)
/* clang-format on */

static ck_status print_table(ck_output *output, const char *url, const ck_store_stats *stats,
                             const ck_spills_size *spills, ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  ck_table_put_word(&table, "store");
  ck_table_put_text(&table, ck_bytes_text(url));
#define X(name, unit)                        \
  ck_table_put_word(&table, #name);          \
  if (unit == BYTES)                         \
    ck_table_put_bytes(&table, stats->name); \
  else                                       \
    ck_table_put_count(&table, stats->name);
  STATS_TABLE(X)
#undef X
  ck_table_put_word(&table, "spill_files");
  ck_table_put_count(&table, spills->files);
  ck_table_put_word(&table, "spill_bytes");
  ck_table_put_bytes(&table, spills->bytes);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_json(ck_output *output, const char *url, const ck_store_stats *stats,
                            const ck_spills_size *spills, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "store", url);
#define X(name, unit) ck_document_put_int(&document, NULL, #name, stats->name);
  STATS_TABLE(X)
#undef X
  ck_document_put_int(&document, NULL, "spill_files", spills->files);
  ck_document_put_int(&document, NULL, "spill_bytes", spills->bytes);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status measure_spills(ck_spills_size *out, const char *url, ck_store *store,
                                ck_error *err) {
  ck_shelf shelf;
  ck_status status = ck_spills_open(&shelf, url, store, err);
  if (status == CK_OK) status = ck_spills_measure(out, &shelf, err);
  ck_shelf_close(&shelf);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  (void)given;
  ck_inspection inspection = {0};
  ck_store_stats stats = {0};
  ck_spills_size spills = {0};
  ck_status status = ck_inspection_open(&inspection, host, err);
  if (status != CK_OK) return status;
  if (inspection.store) status = ck_store_get_stats(&stats, inspection.store, err);
  if (status == CK_OK)
    status = measure_spills(&spills, inspection.location.url, inspection.store, err);
  if (status == CK_OK)
    status = host->output->json
                 ? print_json(host->output, inspection.location.url, &stats, &spills, err)
                 : print_table(host->output, inspection.location.url, &stats, &spills, err);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_example examples[] = {
    {"ckrun store stats", "sessions, events, checkpoints and bytes"},
    {0},
};

const ck_command ck_command_store_stats = {
    .name = "store stats",
    .summary = "tell what the store holds and how large it is",
    .details = "Counts of sessions, events, checkpoints and keyframes; bytes of event bodies and "
               "checkpoint payloads as stored and before compression; bytes of the file, of its "
               "write-ahead log and of its free pages; the schema's version; how many files hold "
               "outputs of programs that were too long for their results, and their bytes.",
    .examples = examples,
    .run = run,
};
