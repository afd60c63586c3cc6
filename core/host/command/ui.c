/* ui.c - ui: serves a page that shows the sessions of a store, on this machine. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/host/cli/end_signals.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/ui/server.h"

typedef struct values {
  const char *listen;
  bool actions;
} values;

static volatile sig_atomic_t ended;

static void on_signal(int number) {
  (void)number;
  ended = 1;
}

/* They are blocked in all threads, and end this one's wait. */
static void catch_signals(sigset_t *open) {
  struct sigaction action = {.sa_handler = on_signal};
  sigset_t caught;
  ck_end_signals_fill(&caught);
  sigprocmask(SIG_BLOCK, &caught, open);
  sigdelset(open, SIGINT);
  sigdelset(open, SIGTERM);
  sigdelset(open, SIGHUP);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

/* Whoever does not want to wait for the end ends it again. */
static void leave_signals(const sigset_t *open) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  sigprocmask(SIG_SETMASK, open, NULL);
}

static ck_status print_link(ck_output *output, ck_ui_server *server, bool fresh, ck_error *err) {
  ck_buffer link = {0};
  ck_ui_server_append_link(&link, server, fresh);
  ck_status status = ck_buffer_check(&link, err);
  if (status == CK_OK && output->json)
    ck_output_print(output, "{\"%s\":%d,\"link\":\"%s\"}\n", CK_OUTPUT_VERSION_NAME,
                    CK_OUTPUT_VERSION, link.data);
  else if (status == CK_OK)
    ck_output_print(output, "%s\n", link.data);
  ck_buffer_clear(&link);
  return status == CK_OK ? ck_output_flush(output, err) : status;
}

/* *more: a line was typed. False: no more will be. */
static bool read_line(bool *more) {
  char line[256];
  ssize_t len = read(STDIN_FILENO, line, sizeof line);
  *more = len > 0;
  return len > 0 || (len < 0 && errno == EINTR);
}

/* Until a signal comes; each line that is typed asks for a new link. */
static ck_status wait_for_end(ck_output *output, ck_ui_server *server, const sigset_t *open,
                              ck_error *err) {
  struct pollfd in = {.fd = isatty(STDIN_FILENO) ? STDIN_FILENO : -1, .events = POLLIN};
  ck_status status = CK_OK;
  while (!ended && status == CK_OK) {
    bool typed = false;
    if (ppoll(&in, 1, NULL, open) > 0 && !read_line(&typed)) in.fd = -1;
    if (typed) status = print_link(output, server, true, err);
  }
  return status;
}

static ck_status serve(const ck_ui_service *service, ck_error *err) {
  ck_output *output = service->host->output;
  ck_ui_server *server;
  sigset_t open;
  catch_signals(&open);
  ck_status status = ck_ui_server_start(&server, service, err);
  if (status != CK_OK) return status;
  status = print_link(output, server, false, err);
  if (status == CK_OK)
    ck_output_notice(output, "%s; the link is good once%s; Ctrl-C ends it",
                     service->actions ? "the page may change sessions"
                                      : "the page only shows (--allow-actions: it may change them)",
                     isatty(STDIN_FILENO) ? ", Enter makes a new one" : "");
  if (status == CK_OK) status = wait_for_end(output, server, &open, err);
  leave_signals(&open);
  size_t runs = ck_ui_server_count_runs(server);
  if (runs)
    ck_output_notice(output,
                     "waits until %zu session%s that the page resumed %s paused: at the end of "
                     "what %s begun; again Ctrl-C leaves that in doubt",
                     runs, runs == 1 ? "" : "s", runs == 1 ? "is" : "are",
                     runs == 1 ? "it has" : "they have");
  ck_ui_server_stop(server);
  return status;
}

static ck_status listen_and_serve(ck_host *host, const values *v, const char *store,
                                  ck_error *err) {
  ck_ui_service service = {.host = host, .store = store, .actions = v->actions};
  ck_status status =
      ck_ui_listen_open(&service.at, "--listen", v->listen ? v->listen : CK_UI_LISTEN_DEFAULT, err);
  if (status != CK_OK) return status;
  status = serve(&service, err);
  ck_ui_listen_close(&service.at);
  return status;
}

/* That the store can be read is told here, not in the page. The commands that answer the page open
 * it by themselves. */
static ck_status run(ck_host *host, const void *given, ck_error *err) {
  ck_inspection inspection;
  char *store = NULL;
  ck_status status = ck_inspection_open(&inspection, host, err);
  if (status != CK_OK) return status;
  status = ck_text_copy(&store, inspection.location.url, err);
  ck_inspection_close(&inspection);
  if (status == CK_OK) status = listen_and_serve(host, given, store, err);
  free(store);
  return status;
}

static const ck_option options[] = {
    {.name = "listen",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, listen),
     .value = "ADDRESS",
     .help = "127.0.0.1:PORT, [::1]:PORT or unix:PATH; a free port of 127.0.0.1 otherwise"},
    {.name = "allow-actions",
     .offset = offsetof(values, actions),
     .help = "the page may answer, resolve, pause, resume, fork, rewind and pin; without it, it "
             "only shows"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun ui --listen unix:ui.sock", "at a socket, for a tunnel from elsewhere"},
    {0},
};

const ck_command ck_command_ui = {
    .name = "ui",
    .summary = "show the sessions in a browser, on this machine",
    .details =
        "Serves a page and prints its link, which is good for one opening. The page shows what the "
        "commands print: the sessions, each with its events, effects, checkpoints and costs, live "
        "while it runs; why a policy took a checkpoint or did not; the state at any point, and "
        "what differs between two.\n\n"
        "Only this machine can reach it: it listens at a loopback address, or at a Unix socket of "
        "this user, and asks for the cookie that the link gave. What is stored is shown as text, "
        "never as a page. Sessions that are resumed from it run in programs of their own, and are "
        "paused when it ends, as `ckrun run` is by Ctrl-C: a call that does not end within 10 "
        "seconds is ended, and in doubt where its class says so.",
    .options = options,
    .examples = examples,
    .run = run,
};
