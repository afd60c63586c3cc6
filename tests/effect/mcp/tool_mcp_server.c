/* tool_mcp_server.c - a small MCP server, with bad manners of every kind: `tool_mcp_server [MODE
 * [ARGUMENT]]`.
 *
 * Without a mode it has the tools echo, add, fail, refuse, picture, weather, slow, hang, give-up,
 * obey, die, blurt, pid, ask, surroundings, binary, count, count-and-kill, kill-and-count,
 * is-counted, much, nest, nul and infinity. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/effect/jsonrpc/jsonrpc.h"

static const char *mode = "good", *argument = "";
static int calls;

static bool is_mode(const char *name) { return strcmp(mode, name) == 0; }

static void say(const char *text) {
  fputs(text, stdout);
  fflush(stdout);
}

static void answer(ck_bytes id, const char *json) {
  ck_buffer line = {0};
  ck_rpc_write_result(&line, id, ck_bytes_text(json));
  if (is_mode("batch"))
    printf("[%.*s]\n", (int)line.len - 1, line.data);
  else
    say(line.data);
  if (is_mode("double")) say(line.data);
  fflush(stdout);
  ck_buffer_clear(&line);
}

static void refuse(ck_bytes id, int code, const char *message) {
  ck_buffer line = {0};
  ck_rpc_write_error(&line, id, code, message);
  say(line.data);
  ck_buffer_clear(&line);
}

/* A result of one text. */
static void answer_text(ck_bytes id, const char *text) {
  ck_buffer json = {0};
  ck_buffer_append_text(&json, "{\"content\":[{\"type\":\"text\",\"text\":");
  ck_json_append_string(&json, ck_bytes_text(text));
  ck_buffer_append_text(&json, "}]}");
  answer(id, json.data);
  ck_buffer_clear(&json);
}

/* The next message; the text lives until the next call. */
static bool hear(ck_rpc_message *out) {
  static char *line;
  static size_t room;
  ssize_t len = getline(&line, &room, stdin);
  ck_error err = CK_ERROR_INIT;
  if (len <= 0) return false;
  ck_bytes text = {line, (size_t)len};
  if (ck_json_check(text, &err) != CK_OK || !ck_rpc_read(out, text)) {
    fprintf(stderr, "the client wrote nonsense: %s", line);
    exit(9);
  }
  return true;
}

/* ---- tools ---- */

static void echo(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char *text = ck_json_dup_string(ck_json_get(arguments, "message"));
  (void)meta;
  if (text)
    answer_text(id, text);
  else
    refuse(id, CK_RPC_INVALID_PARAMS, "echo needs a message");
  free(text);
}

static void add(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char text[64];
  int64_t a = 0, b = 0;
  (void)meta;
  ck_json_read_int(&a, ck_json_get(arguments, "a"));
  ck_json_read_int(&b, ck_json_get(arguments, "b"));
  snprintf(text, sizeof text, "%lld", (long long)(a + b));
  answer_text(id, text);
}

static void fail(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"no "
             "such\"},{\"type\":\"text\",\"text\":\"city\"}],\"isError\":true}");
}

static void picture(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"here\"},{\"type\":\"image\",\"data\":"
             "\"AAAA\",\"mimeType\":\"image/png\"}]}");
}

static void weather(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"warm\"}],\"structuredContent\":{"
             "\"celsius\":22.50}}");
}

/* Three reports, one of another's, then the result. */
static void slow(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  int64_t token = -1;
  (void)arguments;
  ck_json_read_int(&token, ck_json_get(meta, "progressToken"));
  for (int i = 1; i <= 3; i++) {
    printf("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
           "progress\",\"params\":{\"progressToken\":%lld,\"progress\":%d,\"total\":3}}\n",
           (long long)token, i);
  }
  say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
      "progress\",\"params\":{\"progressToken\":999,\"progress\":1}}\n");
  answer_text(id, "done");
}

static void tell_pid(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char text[64];
  (void)arguments, (void)meta;
  snprintf(text, sizeof text, "%d %d", (int)getpid(), calls);
  answer_text(id, text);
}

/* Asks the client for all it can be asked for, and tells what it said. */
static void ask(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  static const char *const methods[] = {"ping", "roots/list", "sampling/createMessage",
                                        "elicitation/create"};
  ck_buffer said = {0}, own = {0};
  ck_rpc_message heard;
  (void)arguments, (void)meta;
  ck_buffer_append_bytes(&own, id);
  for (int i = 0; i < 4; i++) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":\"q%d\",\"method\":\"%s\"}\n", i, methods[i]);
    fflush(stdout);
    if (!hear(&heard)) exit(9);
    ck_buffer_append_bytes(&said, heard.id);
    ck_bytes what = heard.result.len ? heard.result : ck_json_get(heard.error, "code");
    ck_buffer_append_bytes(&said, what);
  }
  answer_text(ck_buffer_bytes(&own), said.data);
  ck_buffer_clear(&said);
  ck_buffer_clear(&own);
}

/* Tells that it is at work and waits for the client's next word; *own is the id of the call, to be
 * cleared. */
static void wait_for_word(ck_buffer *own, ck_bytes id, ck_bytes meta) {
  ck_rpc_message heard;
  int64_t token = -1;
  ck_buffer_append_bytes(own, id);
  ck_json_read_int(&token, ck_json_get(meta, "progressToken"));
  printf("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "progress\",\"params\":{\"progressToken\":%lld,\"progress\":1}}\n",
         (long long)token);
  fflush(stdout);
  if (!hear(&heard)) exit(0);
  fprintf(stderr, "then came %.*s\n", (int)heard.method.len, heard.method.data);
}

/* Gives its answer when the next word comes, whatever it is. */
static void hang(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer own = {0};
  (void)arguments;
  wait_for_word(&own, id, meta);
  answer_text(ck_buffer_bytes(&own), "too late");
  ck_buffer_clear(&own);
}

/* The same with an error, as one of the protocol's own libraries has it. */
static void give_up(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer own = {0};
  (void)arguments;
  wait_for_word(&own, id, meta);
  refuse(ck_buffer_bytes(&own), 0, "Request cancelled");
  ck_buffer_clear(&own);
}

/* And not at all, as the protocol asks for. */
static void obey(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer own = {0};
  (void)arguments;
  wait_for_word(&own, id, meta);
  ck_buffer_clear(&own);
}

static void die(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)id, (void)arguments, (void)meta;
  fputs("the roof is on fire\n", stderr);
  exit(3);
}

static void blurt(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)id, (void)arguments, (void)meta;
  say("DEBUG: got \"here\"\x1b[2J\n");
}

/* A line in the file `argument`, so that it can be seen how often it was called. */
static void write_number(ck_bytes number) {
  FILE *file = fopen(argument, "a");
  if (!file) exit(9);
  fprintf(file, "%.*s\n", (int)number.len, number.data);
  fclose(file);
}

static void count(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)meta;
  write_number(ck_json_get(arguments, "n"));
  answer_text(id, "counted");
}

/* Ends the client, once: the file `argument` with ".killed" behind it says that it was done. */
static void kill_client(void) {
  char path[4200];
  snprintf(path, sizeof path, "%s.killed", argument);
  if (access(path, F_OK) == 0) return;
  FILE *file = fopen(path, "w");
  if (!file || fclose(file) || kill(getppid(), SIGKILL)) exit(9);
  exit(0);
}

/* As count, but the client does not live to hear of it. */
static void count_and_kill(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)meta;
  write_number(ck_json_get(arguments, "n"));
  kill_client();
  answer_text(id, "counted");
}

/* As count, but the client does not live to see it, the first time. */
static void kill_and_count(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  kill_client();
  count(id, arguments, meta);
}

/* A probe of the three: whether the number is in the file. "shy" does not say, "text" says it as
 * text, "bare" gives no result. */
static void is_counted(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char line[64], wanted[64];
  bool found = false;
  (void)meta;
  ck_bytes number = ck_json_get(ck_json_get(arguments, "arguments"), "n");
  snprintf(wanted, sizeof wanted, "%.*s\n", (int)number.len, number.data);
  if (!ck_json_get(arguments, "key").len || !ck_json_get(arguments, "name").len) exit(8);
  FILE *file = fopen(argument, "r");
  while (file && fgets(line, sizeof line, file)) found |= strcmp(line, wanted) == 0;
  if (file) fclose(file);
  const char *said = !found            ? "{\"done\":false}"
                     : is_mode("bare") ? "{\"done\":true}"
                                       : "{\"done\":true,\"result\":\"it was counted\"}";
  ck_buffer json = {0};
  ck_buffer_append_format(&json, "{\"content\":[],\"structuredContent\":%s}",
                          is_mode("shy") ? "{\"done\":\"perhaps\"}" : said);
  if (is_mode("text"))
    answer_text(id, said);
  else
    answer(id, json.data);
  ck_buffer_clear(&json);
}

/* As many a program writes it: not what JSON may hold. */
static void binary(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"a\\u0000b\\ud800c\xff"
         "d\"}]}}\n",
         (int)id.len, id.data);
  fflush(stdout);
}

/* A line of 16 MiB. */
static void tell_much(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  static char block[1 << 16];
  (void)arguments, (void)meta;
  memset(block, 'x', sizeof block);
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":\"", (int)id.len, id.data);
  for (int i = 0; i < 256; i++) fwrite(block, 1, sizeof block, stdout);
  say("\"}\n");
}

/* Its answer is nested 10,000 deep. */
static void nest(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":", (int)id.len, id.data);
  for (int i = 0; i < 20000; i++) putchar(i < 10000 ? '[' : ']');
  say("}}\n");
}

/* A NUL, and a number that no computer has. */
static void tell_nul(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"a%cb\"}]}}\n",
         (int)id.len, id.data, 0);
  fflush(stdout);
}

static void tell_infinity(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  answer(id, "{\"content\":[],\"structuredContent\":{\"n\":1e999}}");
}

static void refuse_call(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  refuse(id, CK_RPC_INVALID_PARAMS, "not today");
}

/* Its environment, one variable a line. */
static void surroundings(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer text = {0};
  (void)arguments, (void)meta;
  for (char **variable = environ; *variable; variable++)
    ck_buffer_append_format(&text, "%s\n", *variable);
  answer_text(id, text.data);
  ck_buffer_clear(&text);
}

static const struct {
  const char *name, *annotations;
  void (*call)(ck_bytes id, ck_bytes arguments, ck_bytes meta);
} tools[] = {
    {"echo", "{\"readOnlyHint\":true,\"idempotentHint\":true}", echo},
    {"add", "{\"idempotentHint\":true,\"readOnlyHint\":false}", add},
    {"fail", "{\"readOnlyHint\":false}", fail},
    {"refuse", NULL, refuse_call},
    {"picture", NULL, picture},
    {"weather", NULL, weather},
    {"slow", NULL, slow},
    {"hang", NULL, hang},
    {"give-up", NULL, give_up},
    {"obey", NULL, obey},
    {"die", NULL, die},
    {"blurt", NULL, blurt},
    {"pid", NULL, tell_pid},
    {"ask", NULL, ask},
    {"surroundings", NULL, surroundings},
    {"binary", NULL, binary},
    {"count", NULL, count},
    {"count-and-kill", NULL, count_and_kill},
    {"kill-and-count", NULL, kill_and_count},
    {"is-counted", NULL, is_counted},
    {"much", NULL, tell_much},
    {"nest", NULL, nest},
    {"nul", NULL, tell_nul},
    {"infinity", NULL, tell_infinity},
    {"sum.up", "{\"idempotentHint\":true}", add},
};
enum { TOOL_COUNT = sizeof tools / sizeof *tools, PAGE = 5 };

static void call_tool(ck_bytes id, ck_bytes params) {
  calls++;
  for (int i = 0; i < TOOL_COUNT; i++) {
    if (!ck_json_is_text(ck_json_get(params, "name"), tools[i].name)) continue;
    tools[i].call(id, ck_json_get(params, "arguments"), ck_json_get(params, "_meta"));
    return;
  }
  refuse(id, CK_RPC_INVALID_PARAMS, "unknown tool");
}

static void list_tools(ck_bytes id, ck_bytes params) {
  ck_buffer json = {0};
  char *cursor = ck_json_dup_string(ck_json_get(params, "cursor"));
  int from = cursor ? atoi(cursor) : 0;
  free(cursor);
  ck_buffer_append_text(&json, "{\"tools\":[");
  for (int i = from; i < TOOL_COUNT && i < from + PAGE; i++) {
    ck_buffer_append_format(
        &json,
        "%s{\"name\":\"%s\",\"description\":\"%s it\",\"inputSchema\":{\"type\":\"object\"}%s%s}",
        i > from ? "," : "", tools[i].name, tools[i].name,
        tools[i].annotations ? ",\"annotations\":" : "",
        tools[i].annotations ? tools[i].annotations : "");
  }
  if (from == 0)
    ck_buffer_append_text(
        &json,
        ",{\"name\":\"job\",\"inputSchema\":{},\"execution\":{\"taskSupport\":\"required\"}}");
  ck_buffer_append_char(&json, ']');
  if (is_mode("endless"))
    ck_buffer_append_text(&json, ",\"nextCursor\":\"0\"");
  else if (from + PAGE < TOOL_COUNT)
    ck_buffer_append_format(&json, ",\"nextCursor\":\"%d\"", from + PAGE);
  ck_buffer_append_char(&json, '}');
  answer(id, json.data);
  ck_buffer_clear(&json);
}

/* ---- manners ---- */

static void greet(ck_bytes id, ck_bytes params) {
  char text[256];
  const char *revision = is_mode("revision") ? argument : "2025-11-25";
  if (is_mode("early"))
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\r\n \n");
  if (is_mode("unknown"))
    say("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":\"x\","
        "\"error\":{\"code\":1,\"message\":\"m\"}}\n");
  if (is_mode("unwilling")) {
    refuse(id, CK_RPC_INTERNAL_ERROR, "not before noon");
    return;
  }
  if (!ck_json_is_text(ck_json_get(params, "protocolVersion"), "2025-11-25")) exit(8);
  snprintf(text, sizeof text,
           "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":"
           "\"t\",\"version\":\"1\"}}",
           revision);
  answer(id, text);
}

static void write_for_ever(const char *block) {
  size_t len = strlen(block);
  while (write(STDOUT_FILENO, block, len) > 0) continue;
  exit(8);
}

static void write_deep(void) {
  static char block[1 << 16];
  memset(block, '[', sizeof block);
  for (int i = 0; i < 8; i++) fwrite(block, 1, sizeof block, stdout);
  say("\n");
}

/* One message of as many bytes as a pipe holds; then nothing until all of it is taken. */
static void fill_pipe(void) {
  static const char head[] =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":[\"",
                    tail[] = "\"]}\n";
  static char block[1 << 16];
  int left = 1;
  memset(block, 'x', sizeof block);
  memcpy(block, head, sizeof head - 1);
  memcpy(block + sizeof block - sizeof tail + 1, tail, sizeof tail - 1);
  fwrite(block, 1, sizeof block, stdout);
  fflush(stdout);
  while (ioctl(STDOUT_FILENO, FIONREAD, &left) == 0 && left > 0) sched_yield();
}

/* A grandchild that holds the outputs open, in the process group or away from it; its pid goes to
 * the file `argument`. */
static void leave_grandchild(bool away) {
  pid_t child = fork();
  if (child == 0) {
    if (away) setsid();
    pid_t pid = fork();
    if (pid == 0) {
      signal(SIGTERM, SIG_IGN);
      for (;;) pause();
    }
    FILE *file = fopen(argument, "w");
    if (file) fprintf(file, "%d", (int)pid);
    if (file) fclose(file);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void misbehave(void) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block - 1);
  if (is_mode("babble")) say("hello, I am a server\n");
  if (is_mode("number")) say("5\n");
  if (is_mode("log")) say("{\"level\":\"info\",\"message\":\"up\"}\n");
  if (is_mode("exit")) {
    fputs("no licence\n", stderr);
    exit(7);
  }
  if (is_mode("line")) write_for_ever(block);
  if (is_mode("chatter"))
    write_for_ever("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                   "message\",\"params\":{\"level\":\"info\",\"data\":1}}\n");
  if (is_mode("shout")) {
    for (int i = 0; i < 64; i++) fwrite(block, 1, sizeof block - 1, stderr);
  }
  if (is_mode("deep")) write_deep();
  if (is_mode("full")) fill_pipe();
  if (is_mode("close")) close(STDOUT_FILENO);
  if (is_mode("close-input")) close(STDIN_FILENO);
  if (is_mode("grandchild") || is_mode("grandchild-away"))
    leave_grandchild(is_mode("grandchild-away"));
  if (is_mode("deaf")) signal(SIGTERM, SIG_IGN);
  if (is_mode("mute") || is_mode("close") || is_mode("close-input") || is_mode("deaf")) {
    for (;;) pause();
  }
}

int main(int argc, char **argv) {
  ck_rpc_message heard;
  if (argc > 1) mode = argv[1];
  if (argc > 2) argument = argv[2];
  misbehave();
  bool ready = false;
  while (hear(&heard)) {
    if (heard.kind == CK_RPC_REQUEST && ck_json_is_text(heard.method, "initialize"))
      greet(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "notifications/initialized"))
      ready = true;
    else if (heard.kind != CK_RPC_REQUEST)
      continue;
    else if (!ready)
      exit(8);
    else if (ck_json_is_text(heard.method, "tools/list"))
      list_tools(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "tools/call"))
      call_tool(heard.id, heard.params);
    else
      refuse(heard.id, CK_RPC_METHOD_NOT_FOUND, "no such method");
  }
  return 0;
}
