/* detach.c - leaves a session in the queue. */
#include "core/host/run/detach.h"

#include <stdio.h>

#include "core/host/print/document.h"
#include "core/host/session/next_command.h"
#include "core/host/session/queued.h"
#include "core/host/session/standing.h"

/* The command that runs what is queued. */
static ck_status write_worker(ck_buffer *out, const ck_host *host, const ck_engine *engine,
                              ck_error *err) {
  ck_queued_append_command(out, host, ck_value_bytes(engine->queued));
  ck_buffer_append(out, "", 1);
  return ck_buffer_check(out, err);
}

static void tell_queued(const ck_host *host, const char *session, const char *worker) {
  char words[CK_ID_SIZE + 32];
  ck_buffer watch = {0};
  snprintf(words, sizeof words, "sessions watch %s", session);
  ck_next_command_append(&watch, host, words);
  ck_output_notice(host->output,
                   "queued; '%s' runs it; '%.*s' follows it, and says why no worker does", worker,
                   (int)watch.len, watch.data ? watch.data : "");
  ck_buffer_clear(&watch);
}

static ck_status print(const ck_host *host, const char *session, const char *worker,
                       ck_error *err) {
  ck_document document;
  if (!host->output->json) {
    ck_output_print(host->output, "%s\n", session);
    ck_status status = ck_output_flush(host->output, err);
    tell_queued(host, session, worker);
    return status;
  }
  ck_document_init(&document, host->output);
  ck_document_put_text(&document, NULL, "session", session);
  ck_document_put_text(&document, NULL, "status", ck_session_status_name(CK_SESSION_PAUSED));
  ck_document_put_text(&document, NULL, "awaits", ck_standing_name(CK_STANDING_QUEUED));
  ck_document_put_text(&document, NULL, "reason", CK_QUEUED_REASON);
  ck_document_put_text(&document, NULL, "next", worker);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

ck_status ck_detach(const ck_host *host, ck_engine *engine, ck_error *err) {
  const char *session = ck_session_id(engine->session);
  ck_buffer worker = {0};
  ck_status status =
      ck_scripts_keep(&engine->scripts, engine->runtime->store, engine->session, err);
  if (status != CK_OK) return status;
  ck_session_leave_for(engine->session, CK_QUEUED_REASON);
  if (ck_session_get_record(engine->session)->status != CK_SESSION_PAUSED)
    return ck_error_set(err, CK_E_IO,
                        "session %s could not be put into the queue; 'ckrun resume %s --detach' "
                        "puts it there",
                        session, session);
  status = write_worker(&worker, host, engine, err);
  if (status == CK_OK) status = print(host, session, worker.data, err);
  ck_buffer_clear(&worker);
  return status;
}
