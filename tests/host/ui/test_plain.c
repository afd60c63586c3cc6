/* test_plain.c - which requests a port answers: those that name this machine by an address, or as
 * localhost, or not at all; a page that was led here by a name of its own gets nothing. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/host/ui/plain.h"
#include "tests/tap.h"

static void respond(ck_ui_plain_answer *out, void *to, const ck_ui_plain_request *request) {
  (void)to, (void)request;
  out->status = 200;
  ck_buffer_append_text(&out->text, "told\n");
}

/* The status of the answer; `host` NULL: it is not named. */
static int ask(int port, const char *host) {
  char text[400], answer[2000];
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status = 0;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  tap_must(fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0, "a connection");
  int len = host ? snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", host)
                 : snprintf(text, sizeof text, "GET / HTTP/1.0\r\n\r\n");
  tap_must(write(fd, text, (size_t)len) == len, "a request");
  ssize_t got = read(fd, answer, sizeof answer - 1);
  answer[got > 0 ? got : 0] = 0;
  if (sscanf(answer, "HTTP/1.%*d %d", &status) != 1) status = 0;
  close(fd);
  return status;
}

int main(void) {
  static const char *const foreign[] = {"evil.example", "evil.example:9", "127.0.0.1.evil.example",
                                        "localhost.evil", ""};
  static const char *const own[] = {"127.0.0.1:7", "localhost", "LOCALHOST:1", "[::1]:9",
                                    "10.0.0.7:99"};
  ck_ui_listen at = {0};
  ck_ui_plain *server = NULL;
  ck_error err = CK_ERROR_INIT;
  const ck_ui_plain_service service = {.respond = respond};
  tap_must(ck_ui_listen_open(&at, "--at", CK_UI_LISTEN_DEFAULT, &err) == CK_OK, "%s", err.text);
  ck_status status = ck_ui_plain_start(&server, &at, &service, &err);
  if (status == CK_E_UNSUPPORTED) {
    tap_ok(true, "%s # SKIP", err.text);
    ck_ui_listen_close(&at);
    return tap_done();
  }
  tap_must(status == CK_OK, "%s", err.text);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    tap_is_int(ask(at.port, foreign[i]), 403, "by the name \"%s\" nothing is told", foreign[i]);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    tap_is_int(ask(at.port, own[i]), 200, "by %s it is", own[i]);
  tap_is_int(ask(at.port, NULL), 200, "and to who says none");
  ck_ui_plain_stop(server);
  ck_ui_listen_close(&at);
  return tap_done();
}
