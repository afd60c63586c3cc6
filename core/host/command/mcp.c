/* mcp.c - mcp: serves the sessions of a store to a client of the Model Context Protocol, on
 * standard input and output, or over HTTP. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host/command/commands.h"
#include "core/host/mcp/allow.h"
#include "core/host/mcp/http.h"
#include "core/host/mcp/input.h"
#include "core/host/mcp/taken_back.h"
#include "core/host/session/session_filter.h"

static volatile sig_atomic_t ended;

static void on_signal(int number) {
  (void)number;
  ended = 1;
}

typedef struct values {
  ck_words sessions;
  const char *allow;
  const char *listen, *token;
  bool read_only;
} values;

/* Signals that end the program are blocked except during the wait, so that none is missed before
 * it. */
static void catch_signals(sigset_t *open) {
  struct sigaction action = {.sa_handler = on_signal};
  sigset_t caught;
  sigemptyset(&caught);
  sigaddset(&caught, SIGINT);
  sigaddset(&caught, SIGTERM);
  sigprocmask(SIG_BLOCK, &caught, open);
  sigdelset(open, SIGINT);
  sigdelset(open, SIGTERM);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static ck_status write_answers(ck_output *output, ck_buffer *answers, ck_error *err) {
  ck_buffer visible = {0};
  ck_json_append_visible(&visible, ck_buffer_bytes(answers));
  visible.failed |= answers->failed;
  ck_status status = ck_buffer_check(&visible, err);
  if (status == CK_OK) ck_output_write(output, ck_buffer_bytes(&visible));
  ck_buffer_clear(&visible);
  ck_buffer_reset(answers);
  return status == CK_OK ? ck_output_flush(output, err) : status;
}

static bool is_blank(ck_bytes line) {
  for (size_t i = 0; i < line.len; i++)
    if (!strchr(" \t\r", line.data[i]) || !line.data[i]) return false;
  return true;
}

/* All whole lines. */
static ck_status answer_lines(ck_mcp_input *self, ck_mcp *server, ck_error *err) {
  ck_buffer line = {0}, answers = {0};
  ck_mcp_input_found found;
  ck_status status = CK_OK;
  while (status == CK_OK && (found = ck_mcp_input_next(&line, self)) != CK_MCP_INPUT_NONE) {
    if (found == CK_MCP_INPUT_OVERSIZE)
      ck_mcp_refuse_line(&answers);
    else if (!is_blank(ck_buffer_bytes(&line)))
      ck_mcp_answer(&answers, server, ck_buffer_bytes(&line));
    answers.failed |= line.failed;
    status = write_answers(server->host->output, &answers, err);
  }
  ck_buffer_clear(&line);
  ck_buffer_clear(&answers);
  return status;
}

/* *more is false when the client has gone, or the program was told to end. */
static ck_status read_some(bool *more, ck_mcp_input *self, const sigset_t *open, ck_error *err) {
  struct pollfd in = {.fd = self->fd, .events = POLLIN};
  *more = false;
  int ready = ppoll(&in, 1, NULL, open);
  if (ended) return CK_OK;
  *more = true;
  return ready < 0 && errno == EINTR ? CK_OK : ck_mcp_input_read(more, self, err);
}

static bool is_taken_back(void *client, ck_bytes id) { return ck_mcp_input_takes_back(client, id); }

static ck_status check(const values *v, const ck_session_filter *filter, ck_error *err) {
  if (v->allow && v->read_only)
    return ck_error_set(err, CK_E_USAGE, "--allow and --read-only exclude each other");
  if (v->token && !v->listen)
    return ck_error_set(err, CK_E_USAGE, "--token is for --listen: nobody else can write to stdin");
  ck_status status = v->allow ? ck_mcp_allow_check(v->allow, err) : CK_OK;
  return status == CK_OK ? ck_session_filter_check(filter, err) : status;
}

static ck_status speak(ck_mcp *server, ck_error *err) {
  ck_mcp_input in = {.fd = STDIN_FILENO};
  sigset_t open;
  bool more = true;
  ck_status status = CK_OK;
  server->host->output->json = true; /* only messages on stdout, only errors on stderr */
  server->taken_back = is_taken_back;
  server->client = &in;
  catch_signals(&open);
  while (status == CK_OK && more) {
    status = read_some(&more, &in, &open, err);
    if (status == CK_OK) status = answer_lines(&in, server, err);
  }
  server->taken_back = NULL;
  ck_mcp_input_clear(&in);
  return status;
}

/* A token that was given is not shown. */
static ck_status say_where(ck_output *output, const ck_mcp_http_server *http, bool given,
                           ck_error *err) {
  const char *const form =
      output->json ? "{\"%s\":%d,\"url\":\"http://%s/mcp\"" : "url\thttp://%s/mcp\n";
  if (output->json)
    ck_output_print(output, form, CK_OUTPUT_VERSION_NAME, CK_OUTPUT_VERSION, http->gate.hosts[0]);
  else
    ck_output_print(output, form, http->gate.hosts[0]);
  if (!given)
    ck_output_print(output, output->json ? ",\"token\":\"%s\"" : "token\t%s\n", http->token.data);
  if (output->json) ck_output_print(output, "}\n");
  return ck_output_flush(output, err);
}

/* Of the same server on standard input and output. NULL: no memory. */
static const char **make_words(const ck_host *host, const values *v) {
  const char **words = calloc(10 + 2 * v->sessions.count, sizeof *words), **at = words;
  if (!words) return NULL;
  const char *const pairs[][2] = {
      {"--store", host->store}, {"--key", host->key}, {"--allow", v->allow}};
  *at++ = "ckrun";
  *at++ = "mcp";
  if (v->read_only) *at++ = "--read-only";
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][1]) *at++ = pairs[i][0], *at++ = pairs[i][1];
  for (size_t i = 0; i < v->sessions.count; i++) *at++ = "--sessions", *at++ = v->sessions.list[i];
  return words;
}

/* Until a signal comes; other threads and processes answer. */
static ck_status serve(const ck_host *host, const values *v, ck_error *err) {
  ck_mcp_http_server http;
  sigset_t open;
  catch_signals(&open);
  const char **words = make_words(host, v);
  if (!words) return ck_error_no_memory(err);
  ck_status status = ck_mcp_http_start(&http, words, v->listen, v->token, err);
  if (status == CK_OK) {
    status = say_where(host->output, &http, v->token, err);
    while (status == CK_OK && !ended) ppoll(NULL, 0, NULL, &open);
    ck_mcp_http_stop(&http);
  }
  free(words);
  return status;
}

static bool is_given_up(void *to) { return ck_mcp_is_taken_back(to); }

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  static ck_mcp server;
  ck_session_filter filter = {&v->sessions};
  ck_status status = check(v, &filter, err);
  if (status != CK_OK) return status;
  if (v->sessions.count) host->filter = &filter;
  server = (ck_mcp){.host = host, .read_only = v->read_only, .allow = v->allow};
  host->given_up = is_given_up;
  host->given_up_to = &server;
  status = v->listen ? serve(host, v, err) : speak(&server, err);
  ck_mcp_end_children(&server);
  host->given_up = NULL;
  host->filter = NULL;
  return status;
}

static const ck_option options[] = {
    {.name = "read-only",
     .offset = offsetof(values, read_only),
     .help = "offer the tools that read, and none that acts"},
    {.name = "allow",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, allow),
     .value = "TOOL,…",
     .help = "of the tools that act offer only these: resume, pause, checkpoint, answer"},
    {.name = "sessions",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, sessions),
     .value = "PATTERN",
     .help = "only sessions whose id fits, such as 'team-*'; the others, and forks of them, do not "
             "exist for the client; may be repeated"},
    {.name = "listen",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, listen),
     .value = "ADDRESS",
     .help =
         "over HTTP, for this machine: 127.0.0.1:PORT (0: a free one), [::1]:PORT or unix:PATH; "
         "prints its url and its token"},
    {.name = "token",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, token),
     .value = "REF",
     .help =
         "with --listen: env:NAME, file:PATH, credential:NAME or keyring:NAME has the token that "
         "clients give as Authorization: Bearer; without it a new one is made"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun mcp --read-only --sessions 'team-*'", "let a client read the sessions of a team"},
    {0},
};

const ck_command ck_command_mcp = {
    .name = "mcp",
    .summary = "serve the sessions to a client of the MCP",
    .details =
        "Speaks the Model Context Protocol (revision 2026-07-28, and 2025-11-25 and those before "
        "it) on standard input and output, one message a line, or with --listen over HTTP, a POST "
        "to /mcp each, to whoever has the token and is no web page. Its tools: "
        "list_resumable_sessions, "
        "list_session_checkpoints, inspect_checkpoint, diff_checkpoints, agent_tail, "
        "resume_session, pause_session, checkpoint_session, answer_session. Its resources: "
        "ckrun://sessions/ID, with /log, /checkpoints and /checkpoints/CHECKPOINT behind it, as "
        "`ckrun sessions` show, log, checkpoints and inspect print them with --json.\n\n"
        "A session that is resumed runs in a program of its own. When the client closes its "
        "end, or SIGINT or SIGTERM comes, the sessions resumed here are paused at their "
        "next boundary before the server ends. They are paused, too, when the server "
        "itself is killed: then by themselves, and nobody waits for them.\n\n"
        "Over HTTP 16 calls are carried out at once, each in a process of its own; others wait for "
        "one of them to end, 60 seconds at most. 64 connections with the token are kept open, for "
        "a minute of silence each. What has no token yet has ten seconds, and may be cut off by "
        "32 that come after it.\n\n"
        "A request that its client takes back (notifications/cancelled; over HTTP from the client "
        "of the same MCP-Session-Id, or since 2026-07-28 by its going away) is not answered: one "
        "that has not begun never does, a wait ends. What it has asked a session for by then "
        "stands, as after Ctrl-C of the command.\n\n"
        "Results have a megabyte at most: long texts in them are cut, and say so. Texts "
        "of sessions are marked as data for the client's model, which is no protection "
        "against a model that obeys them: leave it the tools and sessions that it needs.",
    .options = options,
    .examples = examples,
    .run = run,
};
