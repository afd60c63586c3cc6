/* tool_messages.c - prints a conversation, one message per line, so that what a store holds can be
 * compared with its source:
 *   tool_messages session URL ID        as a resume would fold it, replays read through to what
 *                                       they refer to
 *   tool_messages recorded FILE INDEX   the `traj` of a session in a file of tau-bench; exit 3:
 *                                       there is no such session
 * An assistant's message is shown as its bytes, the others as role, tool_call_id, name and
 * content. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/runtime/session/scope.h"

enum { EXIT_NO_SESSION = 3 };

static void append_decoded(ck_buffer *out, ck_bytes json) {
  ck_buffer_append_char(out, '\t');
  if (!ck_json_read_string(out, json)) ck_buffer_append_bytes(out, json);
}

static ck_status print_message(ck_bytes message, ck_error *err) {
  static const char *const fields[] = {"role", "tool_call_id", "name", "content"};
  ck_buffer text = {0}, line = {0};
  if (ck_json_is_text(ck_json_get(message, "role"), "assistant"))
    ck_buffer_append_bytes(&text, message);
  else
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
      append_decoded(&text, ck_json_get(message, fields[i]));
  ck_escape_append(&line, ck_buffer_bytes(&text));
  ck_buffer_append_char(&line, '\n');
  ck_status status = ck_buffer_check(&text, err);
  if (!status) status = ck_buffer_check(&line, err);
  if (!status) fwrite(line.data, 1, line.len, stdout);
  ck_buffer_clear(&text);
  ck_buffer_clear(&line);
  return status;
}

static ck_status fold(ck_scope *scope, ck_store *store, const char *id, ck_error *err) {
  ck_head head = {0};
  ck_view view = {0};
  ck_status status = ck_store_get_head(&head, store, id, err);
  if (!status)
    status = ck_view_make(&view, head.timelines, head.timeline_count, head.session.timeline, err);
  if (!status) status = ck_scope_fold(scope, store, head.session.no, &view, head.last_seq, err);
  ck_view_clear(&view);
  ck_head_clear(&head);
  return status;
}

static ck_status print_session(const char *url, const char *id, ck_error *err) {
  ck_store *store = NULL;
  ck_scope *scope = NULL;
  ck_store_options options = {.read_only = true};
  ck_status status = ck_store_open(&store, url, &options, err);
  if (!status) status = ck_scope_new(&scope, "main", err);
  if (!status) status = fold(scope, store, id, err);
  const ck_conversation *conversation = status ? NULL : ck_scope_conversation(scope);
  for (size_t i = 0; !status && i < ck_conversation_count(conversation); i++)
    status = print_message(ck_value_bytes(ck_conversation_get(conversation, i)), err);
  ck_scope_free(scope);
  ck_store_close(store);
  return status;
}

static ck_status read_file(ck_buffer *out, const char *path, ck_error *err) {
  char chunk[1 << 14];
  size_t got;
  FILE *file = fopen(path, "re");
  if (!file) return ck_error_set(err, CK_E_USAGE, "cannot open %s", path);
  while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) ck_buffer_append(out, chunk, got);
  fclose(file);
  return ck_buffer_check(out, err);
}

static ck_status print_recorded(const char *path, size_t index, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = read_file(&text, path, err);
  if (!status) status = ck_json_check(ck_buffer_bytes(&text), err);
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&text));
  bool found = false;
  for (size_t i = 0; !status && i <= index; i++) found = ck_json_next(&it);
  if (!status && !found) status = CK_E_NOT_FOUND;
  ck_json_iterator messages =
      ck_json_iterate(status ? (ck_bytes){0} : ck_json_get(it.value, "traj"));
  while (!status && ck_json_next(&messages)) status = print_message(messages.value, err);
  ck_buffer_clear(&text);
  return status;
}

int main(int argc, char **argv) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = CK_E_USAGE;
  if (argc == 4 && strcmp(argv[1], "session") == 0)
    status = print_session(argv[2], argv[3], &err);
  else if (argc == 4 && strcmp(argv[1], "recorded") == 0)
    status = print_recorded(argv[2], strtoul(argv[3], NULL, 10), &err);
  if (status == CK_E_NOT_FOUND && !err.text[0]) return EXIT_NO_SESSION;
  if (status) fprintf(stderr, "%s: %s\n", argv[0], err.text[0] ? err.text : ck_status_text(status));
  return status ? EXIT_FAILURE : fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
