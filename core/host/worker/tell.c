/* tell.c - a line or an object for each beginning and end. */
#include "core/host/worker/tell.h"

#include "core/host/print/document.h"

/* A failure stays with the output, which the turn of the worker flushes. */
static void print(ck_document *document) {
  (void)!ck_document_print(document, NULL);
  ck_document_clear(document);
}

static void print_line(ck_output *output, const char *what, const char *session, const char *how,
                       const char *why) {
  ck_buffer text = {0};
  if (why && *why) {
    ck_buffer_append_text(&text, ": ");
    ck_output_append_safe(output, &text, ck_bytes_text(why));
  }
  ck_output_print(output, "%s\t%s\t%s%.*s\n", what, session, how, (int)text.len,
                  text.data ? text.data : "");
  ck_buffer_clear(&text);
}

void ck_tell_begin(ck_output *output, const char *session, pid_t pid) {
  if (!output->json) {
    ck_output_print(output, "begun\t%s\tpid %ld\n", session, (long)pid);
    return;
  }
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "event", "begun");
  ck_document_put_text(&document, NULL, "session", session);
  ck_document_put_int(&document, NULL, "pid", pid);
  print(&document);
}

static void print_end(ck_output *output, const char *event, const char *session, const char *status,
                      const char *reason, const ck_worker_end *end) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "event", event);
  ck_document_put_text(&document, NULL, "session", session);
  ck_document_put_text(&document, NULL, "status", status);
  ck_document_put_text(&document, NULL, "reason", reason);
  ck_document_put_int(&document, NULL, "exit", end->exit);
  print(&document);
}

void ck_tell_end(ck_output *output, const char *session, const ck_session_record *record,
                 const ck_worker_end *end) {
  const char *status = end->died     ? "died"
                       : end->lapsed ? "lapsed"
                       : record      ? ck_session_status_name(record->status)
                                     : "deleted";
  const char *reason = record && record->reason ? record->reason : NULL;
  if (end->died || end->lapsed) reason = end->killed ? NULL : end->text;
  if (output->json)
    print_end(output, "ended", session, status, reason, end);
  else
    print_line(output, "ended", session, status, reason);
}

void ck_tell_taken(ck_output *output, const char *session, const ck_worker_end *end) {
  if (output->json)
    print_end(output, "taken", session, NULL, NULL, end);
  else
    print_line(output, "taken", session, "by another", NULL);
}

void ck_tell_refusal(ck_output *output, const char *session, const ck_worker_end *end) {
  if (output->json)
    print_end(output, "refused", session, NULL, end->text, end);
  else
    print_line(output, "refused", session, "tried again later", end->text);
}
