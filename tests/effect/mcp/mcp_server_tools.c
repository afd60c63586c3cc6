/* mcp_server_tools.c - the tools of the tests' MCP server. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/effect/mcp/mcp_server.h"

static int calls;

static void echo(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char *text = ck_json_dup_string(ck_json_get(arguments, "message"));
  (void)meta;
  if (text)
    mcp_answer_text(id, text);
  else
    mcp_refuse(id, CK_RPC_INVALID_PARAMS, "echo needs a message");
  free(text);
}

static void add(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char text[64];
  int64_t a = 0, b = 0;
  (void)meta;
  ck_json_read_int(&a, ck_json_get(arguments, "a"));
  ck_json_read_int(&b, ck_json_get(arguments, "b"));
  snprintf(text, sizeof text, "%lld", (long long)(a + b));
  mcp_answer_text(id, text);
}

static void fail(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"no "
                 "such\"},{\"type\":\"text\",\"text\":\"city\"}],\"isError\":true}");
}

static void picture(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"here\"},{\"type\":\"image\",\"data\":"
                 "\"AAAA\",\"mimeType\":\"image/png\"}]}");
}

static void weather(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"warm\"}],\"structuredContent\":{"
                 "\"celsius\":22.50}}");
}

/* An image that says it is kept already, and what else a list can have. */
static void album(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id,
             "{\"content\":[{\"type\":\"image\",\"data\":\"R0lGODlhAQABAAA=\",\"mimeType\":"
             "\"image/gif\",\"media_type\":\"image/gif\",\"bytes\":3,\"digest\":\"00000000000000"
             "00000000000000000000000000000000000000000000000001\"},"
             "{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"},"
             "{\"type\":\"audio\",\"data\":\"AAAA\",\"mimeType\":\"audio/wav\"},"
             "{\"type\":\"resource\",\"resource\":{\"uri\":\"x:b\",\"mimeType\":\"image/gif\","
             "\"blob\":\"R0lGODlhAQABAAA=\"}},"
             "{\"type\":\"image\",\"data\":\"%\",\"mimeType\":\"image/png\"},"
             "{\"type\":\"text\",\"text\":\"{\\\"n\\\": 1}\"}],\"structuredContent\":{\"n\":1}}");
}

static void link_to(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id,
             "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}]}");
}

static void twice(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"{ \\\"b\\\": [1, 2.0],\\n\\\"a\\\": "
                 "\\\"\\\\u00e9\\\"}\"}],\"structuredContent\":{\"a\":\"\u00e9\",\"b\":[1,2]}}");
}

/* Three progress reports, one of them for another call, then the result. */
static void slow(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  int64_t token = -1;
  (void)arguments;
  ck_json_read_int(&token, ck_json_get(meta, "progressToken"));
  for (int i = 1; i <= 3; i++) {
    printf("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
           "progress\",\"params\":{\"progressToken\":%lld,\"progress\":%d,\"total\":3}}\n",
           (long long)token, i);
  }
  mcp_write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
            "progress\",\"params\":{\"progressToken\":999,\"progress\":1}}\n");
  mcp_answer_text(id, "done");
}

static void tell_pid(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char text[64];
  (void)arguments, (void)meta;
  snprintf(text, sizeof text, "%d %d", (int)getpid(), calls);
  mcp_answer_text(id, text);
}

/* Sends the client every request of the protocol, and repeats the answers. */
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
    if (!mcp_read(&heard)) exit(9);
    ck_buffer_append_bytes(&said, heard.id);
    ck_bytes what = heard.result.len ? heard.result : ck_json_get(heard.error, "code");
    ck_buffer_append_bytes(&said, what);
  }
  mcp_answer_text(ck_buffer_bytes(&own), said.data);
  ck_buffer_clear(&said);
  ck_buffer_clear(&own);
}

/* Reports progress and waits for the client's next message; *own is the id of the call, to be
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
  if (!mcp_read(&heard)) exit(0);
  fprintf(stderr, "then came %.*s\n", (int)heard.method.len, heard.method.data);
}

/* Answers when the next message comes, whatever it is. */
static void hang(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer own = {0};
  (void)arguments;
  wait_for_word(&own, id, meta);
  mcp_answer_text(ck_buffer_bytes(&own), "too late");
  ck_buffer_clear(&own);
}

/* The same with an error, as one of the protocol's own libraries does. */
static void give_up(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer own = {0};
  (void)arguments;
  wait_for_word(&own, id, meta);
  mcp_refuse(ck_buffer_bytes(&own), 0, "Request cancelled");
  ck_buffer_clear(&own);
}

/* And no answer at all, as the protocol requires. */
static void obey(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer own = {0};
  (void)arguments;
  wait_for_word(&own, id, meta);
  ck_buffer_clear(&own);
}

/* Reports progress so many times, each when the client has answered a ping, then gives its result;
 * stops without one when it is cancelled. */
static void tick(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_rpc_message heard;
  ck_buffer own = {0};
  int64_t token = -1, count = 0;
  bool cancelled = false;
  ck_buffer_append_bytes(&own, id);
  ck_json_read_int(&token, ck_json_get(meta, "progressToken"));
  ck_json_read_int(&count, ck_json_get(arguments, "count"));
  for (int64_t i = 1; i <= count && !cancelled; i++) {
    printf("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
           "progress\",\"params\":{\"progressToken\":%lld,\"progress\":%lld}}\n"
           "{\"jsonrpc\":\"2.0\",\"id\":\"t\",\"method\":\"ping\"}\n",
           (long long)token, (long long)i);
    fflush(stdout);
    if (!mcp_read(&heard)) exit(0);
    cancelled = ck_json_is_text(heard.method, "notifications/cancelled");
  }
  if (!cancelled) mcp_answer_text(ck_buffer_bytes(&own), "ticked");
  ck_buffer_clear(&own);
}

static void die(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)id, (void)arguments, (void)meta;
  fputs("the roof is on fire\n", stderr);
  exit(3);
}

static void blurt(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)id, (void)arguments, (void)meta;
  mcp_write("DEBUG: got \"here\"\x1b[2J\n");
}

/* Appends a line to the file `mcp_argument`, which counts the calls. */
static void write_number(ck_bytes number) {
  FILE *file = fopen(mcp_argument, "a");
  if (!file) exit(9);
  fprintf(file, "%.*s\n", (int)number.len, number.data);
  fclose(file);
}

static void count(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)meta;
  write_number(ck_json_get(arguments, "n"));
  mcp_answer_text(id, "counted");
}

/* Kills the client, once: the file `mcp_argument` with ".killed" behind it records the kill. */
static void kill_client(void) {
  char path[4200];
  snprintf(path, sizeof path, "%s.killed", mcp_argument);
  if (access(path, F_OK) == 0) return;
  FILE *file = fopen(path, "w");
  if (!file || fclose(file) || kill(getppid(), SIGKILL)) exit(9);
  exit(0);
}

/* As count, but the client is killed before the answer. */
static void count_and_kill(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)meta;
  write_number(ck_json_get(arguments, "n"));
  kill_client();
  mcp_answer_text(id, "counted");
}

/* As count, but the first time the client is killed before the count. */
static void kill_and_count(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  kill_client();
  count(id, arguments, meta);
}

/* A probe of the three: whether the number is in the file. "shy" does not answer, "text" answers as
 * text, "bare" gives no result. */
static void is_counted(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  char line[64], wanted[64];
  bool found = false;
  (void)meta;
  ck_bytes number = ck_json_get(ck_json_get(arguments, "arguments"), "n");
  snprintf(wanted, sizeof wanted, "%.*s\n", (int)number.len, number.data);
  if (!ck_json_get(arguments, "key").len || !ck_json_get(arguments, "name").len) exit(8);
  FILE *file = fopen(mcp_argument, "r");
  while (file && fgets(line, sizeof line, file)) found |= strcmp(line, wanted) == 0;
  if (file) fclose(file);
  const char *said = !found                ? "{\"done\":false}"
                     : mcp_is_mode("bare") ? "{\"done\":true}"
                                           : "{\"done\":true,\"result\":\"it was counted\"}";
  ck_buffer json = {0};
  ck_buffer_append_format(&json, "{\"content\":[],\"structuredContent\":%s}",
                          mcp_is_mode("shy") ? "{\"done\":\"perhaps\"}" : said);
  if (mcp_is_mode("text"))
    mcp_answer_text(id, said);
  else
    mcp_answer(id, json.data);
  ck_buffer_clear(&json);
}

/* Bytes that JSON forbids, as many a program writes them. */
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
  mcp_write("\"}\n");
}

/* Its answer is nested 10,000 deep. */
static void nest(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":", (int)id.len, id.data);
  for (int i = 0; i < 20000; i++) putchar(i < 10000 ? '[' : ']');
  mcp_write("}}\n");
}

/* A NUL, and a number beyond any double. */
static void tell_nul(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
         "\"a%cb\"}]}}\n",
         (int)id.len, id.data, 0);
  fflush(stdout);
}

static void tell_infinity(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_answer(id, "{\"content\":[],\"structuredContent\":{\"n\":1e999}}");
}

static void refuse_call(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  (void)arguments, (void)meta;
  mcp_refuse(id, CK_RPC_INVALID_PARAMS, "not today");
}

/* Its environment, one variable a line. */
static void surroundings(ck_bytes id, ck_bytes arguments, ck_bytes meta) {
  ck_buffer text = {0};
  (void)arguments, (void)meta;
  for (char **variable = environ; *variable; variable++)
    ck_buffer_append_format(&text, "%s\n", *variable);
  mcp_answer_text(id, text.data);
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
    {"album", NULL, album},
    {"link", NULL, link_to},
    {"twice", NULL, twice},
    {"slow", NULL, slow},
    {"hang", NULL, hang},
    {"give-up", NULL, give_up},
    {"obey", NULL, obey},
    {"tick", NULL, tick},
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

void mcp_call_tool(ck_bytes id, ck_bytes params) {
  calls++;
  for (int i = 0; i < TOOL_COUNT; i++) {
    if (!ck_json_is_text(ck_json_get(params, "name"), tools[i].name)) continue;
    tools[i].call(id, ck_json_get(params, "arguments"), ck_json_get(params, "_meta"));
    return;
  }
  mcp_refuse(id, CK_RPC_INVALID_PARAMS, "unknown tool");
}

void mcp_list_tools(ck_bytes id, ck_bytes params) {
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
  if (mcp_is_mode("endless"))
    ck_buffer_append_text(&json, ",\"nextCursor\":\"0\"");
  else if (from + PAGE < TOOL_COUNT)
    ck_buffer_append_format(&json, ",\"nextCursor\":\"%d\"", from + PAGE);
  ck_buffer_append_char(&json, '}');
  mcp_answer(id, json.data);
  ck_buffer_clear(&json);
}
