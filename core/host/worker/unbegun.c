/* unbegun.c - a worker's word about a session, for people who ask why it waits. */
#include "core/host/worker/unbegun.h"

#include <stdio.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/base/clock.h"

static void name_worker(char *out, size_t size) {
  char host[80] = "";
  if (gethostname(host, sizeof host - 1) != 0 || !*host) snprintf(host, sizeof host, "a machine");
  snprintf(out, size, "the worker with pid %ld on %s", (long)getpid(), host);
}

void ck_unbegun_tell(ck_store *store, ck_redactor *redactor, const char *session, const char *why) {
  ck_clock clock = ck_clock_system();
  ck_buffer kept = {0};
  ck_error ignored = CK_ERROR_INIT;
  ck_refusal what = {.at_ms = clock.wall_ms(clock.self)};
  name_worker(what.by, sizeof what.by);
  ck_status status =
      ck_redactor_apply_text(&kept, redactor, CK_SINK_EVENT, ck_bytes_text(why), &ignored);
  if (status == CK_OK && !kept.failed) {
    ck_text_format(what.text, sizeof what.text, "%.*s", (int)kept.len, kept.data ? kept.data : "");
    ck_store_put_refusal(store, session, &what);
  }
  ck_buffer_clear(&kept);
}
