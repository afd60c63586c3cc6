/* command.c - answers with what a command of ckrun prints. */
#if __has_include(<microhttpd.h>)

#include <stdlib.h>
#include <string.h>

#include "core/host/ui/private.h"
#include "core/host/ui/stream.h"

enum { ANSWER_MAX = 256 << 20, STREAM_BLOCK = 1 << 16 };

static const char *get_parameter(void *from, const char *name) {
  ck_ui_request *self = from;
  if (self->route->text && strcmp(name, "text") == 0) return "-";
  return ck_ui_request_get(self, MHD_GET_ARGUMENT_KIND, name);
}

/* The exit codes of the program, as HTTP has them. */
static unsigned status_of(int exit) {
  switch (exit) {
    case 0:
      return MHD_HTTP_OK;
    case 2:
      return MHD_HTTP_BAD_REQUEST;
    case 3:
      return MHD_HTTP_NOT_FOUND;
    case 74:
      return MHD_HTTP_SERVICE_UNAVAILABLE;
    default:
      return MHD_HTTP_CONFLICT;
  }
}

/* A run that has begun says on stdout how it ended; a command that failed, on stderr. */
static enum MHD_Result send_said(ck_ui_request *self, const ck_ui_said *said) {
  bool whole = said->out.len && said->exit < 128; /* not killed in the midst of it */
  unsigned status = whole ? MHD_HTTP_OK : status_of(said->exit);
  if (status == MHD_HTTP_OK) return ck_ui_reply_json(self, status, ck_buffer_bytes(&said->out));
  if (said->errors.len) return ck_ui_reply_json(self, status, ck_buffer_bytes(&said->errors));
  return ck_ui_reply_error(self, status, "the command failed without a word");
}

static unsigned status_of_failure(ck_status status) {
  return status == CK_E_USAGE     ? MHD_HTTP_BAD_REQUEST
         : status == CK_E_REFUSED ? MHD_HTTP_CONFLICT
                                  : MHD_HTTP_INTERNAL_SERVER_ERROR;
}

static enum MHD_Result answer(ck_ui_request *self, const char *const *argv) {
  ck_error err = CK_ERROR_INIT;
  ck_ui_said said = {0};
  ck_status status = ck_ui_child_run(&said, argv, ck_buffer_bytes(&self->body), ANSWER_MAX, &err);
  enum MHD_Result sent = status == CK_OK
                             ? send_said(self, &said)
                             : ck_ui_reply_error(self, status_of_failure(status), err.text);
  ck_ui_said_clear(&said);
  return sent;
}

static enum MHD_Result begin(ck_ui_request *self, const char *const *argv) {
  static const char runs_on[] = "{\"begun\":true}\n";
  ck_error err = CK_ERROR_INIT;
  ck_ui_said said = {0};
  bool ended;
  ck_status status = ck_ui_runs_begin(&ended, &said, self->server->runs, argv, &err);
  enum MHD_Result sent =
      status != CK_OK ? ck_ui_reply_error(self, status_of_failure(status), err.text)
      : ended         ? send_said(self, &said)
                      : ck_ui_reply_json(self, MHD_HTTP_ACCEPTED, ck_bytes_text(runs_on));
  ck_ui_said_clear(&said);
  return sent;
}

static ssize_t read_stream(void *from, uint64_t at, char *to, size_t room) {
  (void)at;
  long len = ck_ui_stream_read(from, to, room);
  return len > 0   ? (ssize_t)len
         : len < 0 ? MHD_CONTENT_READER_END_WITH_ERROR
                   : MHD_CONTENT_READER_END_OF_STREAM;
}

static void close_stream(void *stream) {
  ck_ui_stream_close(stream);
  free(stream);
}

static enum MHD_Result stream(ck_ui_request *self, const char *const *argv) {
  ck_error err = CK_ERROR_INIT;
  ck_ui_child child;
  ck_ui_stream *made = calloc(1, sizeof *made);
  ck_status status =
      made ? ck_ui_child_start(&child, argv, (ck_bytes){0}, &err) : ck_error_no_memory(&err);
  if (status != CK_OK) {
    free(made);
    return ck_ui_reply_error(self, status_of_failure(status), err.text);
  }
  ck_ui_stream_open(made, child, &self->server->ending);
  struct MHD_Response *response = self->server->http.create_response_from_callback(
      MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, made, close_stream);
  if (!response) close_stream(made);
  return ck_ui_reply(self, MHD_HTTP_OK, response, "text/event-stream");
}

enum MHD_Result ck_ui_reply_command(ck_ui_request *self) {
  static enum MHD_Result (*const manners[])(ck_ui_request *, const char *const *) = {
      [CK_UI_ANSWER] = answer, [CK_UI_STREAM] = stream, [CK_UI_BEGIN] = begin};
  ck_error err = CK_ERROR_INIT;
  ck_ui_words words;
  ck_status status = ck_ui_route_write(&words, self->route, self->server->service->host,
                                       get_parameter, self, &err);
  enum MHD_Result sent = status == CK_OK
                             ? manners[self->route->manner](self, words.list)
                             : ck_ui_reply_error(self, status_of_failure(status), err.text);
  ck_ui_words_clear(&words);
  return sent;
}

#else

typedef int ck_ui_command_none; /* a file has something in it */

#endif
