/* store_copy.c - store copy: all of a store into a new one of any kind. */
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/run/archive.h"
#include "core/host/run/spills.h"
#include "core/host/session/store_location.h"
#include "core/store/acceptance.h"
#include "core/store/copy.h"

typedef struct values {
  const char *from, *to;
} values;

typedef struct copying {
  ck_host *host;
  ck_store_location from, to;
  ck_copy_report report;
  ck_store *store; /* that is copied */
  ck_spills_size outputs;
} copying;

/* ---- what lies beside a store ---- */

static bool is_file(const ck_store_location *location) {
  return strncmp(location->url, "sqlite:", strlen("sqlite:")) == 0;
}

static ck_status copy_spills(void *to, const char *path, ck_error *err) {
  const copying *self = to;
  return ck_archive_copy_spills(ck_store_url(self->store), self->store, NULL, path, err);
}

/* A store on a server keeps them itself: behind its sessions, those that are not there yet. */
static ck_status add_spills(const copying *self, const ck_shelf *from, ck_error *err) {
  ck_shelf into = {0};
  ck_store *made = NULL;
  ck_store_options options = {.key = self->to.key};
  ck_status status = ck_store_open(&made, self->to.opens, &options, err);
  if (status == CK_OK) status = ck_spills_open(&into, self->to.url, made, err);
  if (status == CK_OK && into.kind) status = ck_spills_add(from, &into, made, err);
  ck_shelf_close(&into);
  ck_store_close(made);
  return status;
}

static ck_status copy_behind(copying *self, ck_error *err) {
  ck_shelf from;
  ck_status status = ck_spills_open(&from, self->from.url, self->store, err);
  if (status == CK_OK) status = ck_spills_measure(&self->outputs, &from, err);
  if (status == CK_OK && self->outputs.files && !is_file(&self->to))
    status = add_spills(self, &from, err);
  ck_shelf_close(&from);
  return status;
}

/* ---- the counter of the new store's place ---- */

static void note_set_back(void *to, bool set_back, const char *text) {
  (void)text;
  *(bool *)to |= set_back;
}

/* The same store may have been at this place before, and have gone further: what is put there now
 * is meant to be there. */
static ck_status settle_counter(const copying *self, ck_error *err) {
  bool set_back = false;
  ck_store *store = NULL;
  ck_acceptance accepted;
  ck_store_watch watch = {.folder = self->to.watch.folder, .note = note_set_back, .to = &set_back};
  ck_store_options options = {.read_only = true, .key = self->to.key, .watch = &watch};
  if (!is_file(&self->to) || !watch.folder) return CK_OK;
  ck_status status = ck_store_open(&store, self->to.opens, &options, err);
  ck_store_close(store);
  if (status != CK_OK || !set_back) return status;
  options.read_only = false;
  options.accept_rollback = true;
  store = NULL;
  status = ck_store_open(&store, self->to.opens, &options, err);
  if (status == CK_OK) status = ck_store_accept_rollback(&accepted, store, err);
  ck_store_close(store);
  return status;
}

/* ---- */

static ck_status print(copying *self, ck_error *err) {
  ck_document document;
  const ck_copy_report *report = &self->report;
  ck_output *output = self->host->output;
  if (!output->json) {
    ck_output_print(output, "%s\n", self->to.url);
    ck_output_notice(
        output, "%lld sessions with %lld events and %lld checkpoints, %lld facts: %s",
        (long long)report->sessions, (long long)report->events, (long long)report->checkpoints,
        (long long)report->facts,
        report->was_done ? "they were there already, and are the same" : "copied, and compared");
    return CK_OK;
  }
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "from", self->from.url);
  ck_document_put_text(&document, NULL, "to", self->to.url);
  ck_document_put_int(&document, NULL, "sessions", report->sessions);
  ck_document_put_int(&document, NULL, "events", report->events);
  ck_document_put_int(&document, NULL, "checkpoints", report->checkpoints);
  ck_document_put_int(&document, NULL, "facts", report->facts);
  ck_document_put_int(&document, NULL, "requests", report->requests);
  ck_document_put_int(&document, NULL, "files", report->blobs);
  ck_document_put_int(&document, NULL, "outputs", self->outputs.files);
  ck_document_put_bool(&document, NULL, "was_done", report->was_done);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status copy(copying *self, ck_error *err) {
  bool set_back = false; /* the copy says so */
  self->from.watch.note = note_set_back;
  self->from.watch.to = &set_back;
  ck_copy_order order = {
      .to = self->to.opens, .key = self->to.key, .before = copy_spills, .before_to = self};
  ck_status status = ck_store_location_open_store(&self->store, &self->from, err);
  if (status == CK_OK) status = ck_store_location_make_parents(&self->to, err);
  if (status == CK_OK) status = ck_store_copy(&self->report, self->store, &order, err);
  if (status == CK_OK) status = copy_behind(self, err);
  ck_store_close(self->store);
  if (status == CK_OK) status = settle_counter(self, err);
  return status == CK_OK ? print(self, err) : status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  copying self = {.host = host};
  ck_status status = ck_store_location_find_at(&self.from, host, "FROM", v->from, err);
  if (status == CK_OK) status = ck_store_location_find_at(&self.to, host, "TO", v->to, err);
  if (status == CK_OK) status = copy(&self, err);
  ck_store_location_clear(&self.from);
  ck_store_location_clear(&self.to);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FROM",
     .offset = offsetof(values, from),
     .help = "the store that is copied: a path, sqlite:PATH, postgres://…",
     .complete = CK_COMPLETE_FILE},
    {.name = "TO",
     .offset = offsetof(values, to),
     .help = "the new store: there is none yet, or an empty schema",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_example examples[] = {
    {"ckrun store copy store.db copy.db", "into another file"},
    {0},
};

const ck_command ck_command_store_copy = {
    .name = "store copy",
    .summary = "copy a store into a new one, of its kind or another",
    .details =
        "From a file to a schema of PostgreSQL, and back, and from each to its own kind. Sessions "
        "keep their ids, numbers and epochs, their events, checkpoints and forks, pins, kept files "
        "and the requests that wait; facts come, too. With --key both have the same key, and what "
        "is sealed stays sealed. It is one transaction, compared with FROM before it ends: when it "
        "is stopped, TO is as it was, and the same command completes it. Where TO is this copy "
        "already nothing is written. A TO that holds anything else is refused.\n\n"
        "While a session runs nothing is copied: 'ckrun store backup' does that. Afterwards there "
        "are two stores: go on with a session in one of them only. Long outputs, which lie beside "
        "a file (FROM.spill) and in a store on a server, are copied: to a file into TO.spill, "
        "which is to be removed before another try where a kill left it beside no TO; into a "
        "server behind all else, and what a stop left out the same command adds.\n\n"
        "A password in a URL is refused here, where everybody on the machine sees it: the URL in "
        "$CKRUN_STORE, $PGPASSWORD and ~/.pgpass serve both.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
