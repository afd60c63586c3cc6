/* store_accept_rollback.c - store accept-rollback: an older copy of the store, or one that was
 * changed from outside, is taken as it is. */
#include "core/host/command/commands.h"
#include "core/host/print/key_values.h"
#include "core/host/session/store_location.h"
#include "core/store/acceptance.h"

static ck_status print(ck_output *output, const char *url, const ck_acceptance *accepted,
                       ck_error *err) {
  ck_key_values facts;
  if (accepted->is_needless && !output->json) {
    ck_output_notice(output, "store %s was not set back: nothing to accept", url);
    return CK_OK;
  }
  ck_key_values_init(&facts, output);
  ck_key_values_put_text(&facts, "store", url);
  ck_key_values_put_count(&facts, "before", (int64_t)accepted->before);
  ck_key_values_put_count(&facts, "known", (int64_t)accepted->known);
  ck_key_values_put_count(&facts, "differences", accepted->differences);
  ck_key_values_put_count(&facts, "generation", (int64_t)accepted->generation);
  ck_status status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  (void)given;
  ck_store_location location;
  ck_store *store = NULL;
  ck_acceptance accepted;
  ck_status status = ck_store_location_find(&location, host, err);
  ck_store_options options = {
      .key = location.key, .watch = &location.watch, .accept_rollback = true};
  if (status == CK_OK) status = ck_store_open(&store, location.opens, &options, err);
  if (status == CK_OK) status = ck_store_accept_rollback(&accepted, store, err);
  if (status == CK_OK) status = print(host->output, location.url, &accepted, err);
  ck_store_close(store);
  ck_store_location_clear(&location);
  return status;
}

static const ck_example examples[] = {
    {"ckrun store accept-rollback", "after an older copy was put back on purpose"},
    {0},
};

const ck_command ck_command_store_accept_rollback = {
    .name = "store accept-rollback",
    .summary = "take a store as it is that was set back",
    .details =
        "A counter outside of the store, in the user's state folder, finds an older copy in its "
        "place, and changes that were cut off its end; verify finds sessions, facts, pins and "
        "requests that were taken away or set back. When that was you, with a backup, this says "
        "so: what the store holds now counts as whole, and the counter goes on from there.\n\n"
        "Tells how often the store had been changed (before), how often the counter knows "
        "(known), how many differences from its inventory are accepted, and the number of "
        "this change (generation).",
    .examples = examples,
    .run = run,
};
