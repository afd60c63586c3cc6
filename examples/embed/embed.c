/* embed.c - ckrun inside a C program: run it twice; the first run dies in the middle, the second
 * goes on.
 *
 *   cc embed.c $(pkg-config --cflags --libs ckrun) -o embed && ./embed ; ./embed */
#include <ckrun.h>
#include <signal.h>
#include <stdio.h>

static ck_status step(ck_session *session, int number, ck_error *err) {
  char text[64];
  ck_value *value = NULL;
  ck_saved saved;
  snprintf(text, sizeof text, "{\"step\":%d}", number);
  ck_status status = ck_value_new(&value, ck_bytes_text(text), err);
  if (status == CK_OK)
    status = ck_session_append(session, CK_EVENT_NOTE, NULL, "counter", value, err);
  if (status == CK_OK) status = ck_session_put(session, "memory.last", value, err);
  if (status == CK_OK)
    status = ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_STEP_COMPLETE},
                                 err);
  if (status == CK_OK) status = ck_session_wait(session, saved.ticket, err);
  ck_value_free(value);
  return status;
}

int main(int argc, char **argv) {
  ck_error err = CK_ERROR_INIT;
  ck_runtime *runtime = NULL;
  ck_session *session = NULL;
  int64_t last = 0;
  ck_status status = ck_runtime_open(&runtime, argc > 1 ? argv[1] : "sqlite:embed.db",
                                     &(ck_store_options){.create = true}, NULL, &err);
  if (status == CK_OK)
    status = ck_session_resume(&session, runtime, "embed", &(ck_resume_options){0}, &err);
  bool resumed = status == CK_OK;
  if (status == CK_E_NOT_FOUND)
    status = ck_session_start(&session, runtime, &(ck_session_options){.id = "embed"}, &err);
  if (resumed)
    ck_json_read_int(&last,
                     ck_json_get(ck_value_bytes(ck_session_get(session, "memory.last")), "step"));
  for (int number = (int)last + 1; number <= 6 && status == CK_OK; number++) {
    status = step(session, number, &err);
    printf("step %d is durable\n", number);
    fflush(stdout);
    if (number == 3 && !resumed) raise(SIGKILL);
  }
  if (status == CK_OK) status = ck_session_end(session, CK_SESSION_COMPLETED, NULL, NULL, &err);
  if (status != CK_OK) fprintf(stderr, "embed: %s\n", err.text);
  ck_session_close(session);
  ck_runtime_close(runtime);
  return ck_status_exit(status);
}
