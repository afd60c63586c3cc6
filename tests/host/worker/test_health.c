/* test_health.c - a worker that takes no turn for thirty seconds, or for ten of its polls, is not
 * well; one that does is, however long that took. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/host/worker/health.h"
#include "tests/tap.h"

static char place[100];

/* What it answers to GET /healthz: the code and the last line. */
static const char *ask(void) {
  static char said[4096], answer[128];
  static const char get[] = "GET /healthz HTTP/1.0\r\n\r\n";
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  memcpy(to.sun_path, place, sizeof place);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0), code = 0;
  tap_must(connect(fd, (struct sockaddr *)&to, sizeof to) == 0, "a monitor");
  tap_must(write(fd, get, sizeof get - 1) == (ssize_t)sizeof get - 1, "which asks");
  size_t len = 0;
  for (ssize_t more; (more = read(fd, said + len, sizeof said - 1 - len)) > 0;) len += (size_t)more;
  said[len] = 0;
  close(fd);
  const char *body = strstr(said, "\r\n\r\n");
  tap_must(body && sscanf(said, "HTTP/1.%*d %d", &code) == 1, "an answer: %s", said);
  snprintf(answer, sizeof answer, "%d %s", code, body + 4);
  answer[strcspn(answer, "\n")] = 0;
  return answer;
}

/* The worker's last turn was so long ago. */
static void turned(ck_metrics *metrics, int64_t ago_ms) {
  ck_clock clock = ck_clock_system();
  ck_metrics_turn(metrics, 0, false, "");
  pthread_mutex_lock(&metrics->lock);
  metrics->turn_us = clock.mono_us(clock.self) - ago_ms * 1000;
  pthread_mutex_unlock(&metrics->lock);
}

/* The clock goes on between turn and question: no check is nearer to its bound than ten seconds. */
static void test_turns(ck_output *output, int64_t poll_ms, int64_t well_ms, int64_t hangs_ms) {
  ck_metrics metrics;
  ck_health *health;
  ck_error err = CK_ERROR_INIT;
  char address[160];
  snprintf(address, sizeof address, "unix:%s", place);
  ck_metrics_init(&metrics, 1);
  const ck_health_options options = {
      .address = address, .metrics = &metrics, .output = output, .poll_ms = poll_ms};
  ck_status status = ck_health_start(&health, &options, &err);
  if (status == CK_E_UNSUPPORTED) {
    tap_skip("%s", err.text);
    ck_metrics_clear(&metrics);
    return;
  }
  tap_must(status == CK_OK, "health is served: %s", err.text);
  turned(&metrics, well_ms);
  tap_is_text(ask(), "200 ok", "polls of %lld ms: a turn %lld ms ago", (long long)poll_ms,
              (long long)well_ms);
  turned(&metrics, hangs_ms);
  tap_is_text(ask(), "503 no turn for too long", "polls of %lld ms: one %lld ms ago",
              (long long)poll_ms, (long long)hangs_ms);
  turned(&metrics, 0);
  tap_is_text(ask(), "200 ok", "polls of %lld ms: a turn again", (long long)poll_ms);
  ck_health_stop(health);
  ck_metrics_clear(&metrics);
}

int main(void) {
  ck_output output;
  tap_must(ck_output_open(&output, NULL) == CK_OK, "an output");
  output.quiet = true;
  snprintf(place, sizeof place, "%s/health", tap_tmpdir());
  test_turns(&output, 1000, 0, 31000);
  test_turns(&output, 60000, 500000, 601000);
  ck_output_close(&output);
  return tap_done();
}
