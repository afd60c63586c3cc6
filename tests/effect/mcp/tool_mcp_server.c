/* tool_mcp_server.c - a small MCP server that can misbehave in many ways: `tool_mcp_server [MODE
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

#include "tests/effect/mcp/mcp_server.h"

static void initialize(ck_bytes id, ck_bytes params) {
  char text[256];
  const char *revision = mcp_is_mode("revision") ? mcp_argument : "2025-11-25";
  if (mcp_is_mode("early"))
    mcp_write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\r\n \n");
  if (mcp_is_mode("unknown"))
    mcp_write("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":\"x\","
              "\"error\":{\"code\":1,\"message\":\"m\"}}\n");
  if (mcp_is_mode("unwilling")) {
    mcp_refuse(id, CK_RPC_INTERNAL_ERROR, "not before noon");
    return;
  }
  if (!ck_json_is_text(ck_json_get(params, "protocolVersion"), "2025-11-25")) exit(8);
  snprintf(text, sizeof text,
           "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":"
           "\"t\",\"version\":\"1\"}}",
           revision);
  mcp_answer(id, text);
}

/* Of the newest revision, which has no handshake. */
static void discover(ck_bytes id, ck_bytes params) {
  if (mcp_is_mode("strict")) exit(8);
  if (mcp_is_mode("silent")) return;
  if (mcp_is_mode("sloppy")) mcp_answer(id, "{}");
  if (mcp_is_mode("sloppy")) return;
  if (mcp_is_mode("future"))
    printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32022,\"message\":"
           "\"unsupported\",\"data\":{\"supported\":[\"2030-01-01\"]}}}\n",
           (int)id.len, id.data);
  else if (mcp_is_mode("dual"))
    printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32022,\"message\":"
           "\"unsupported\",\"data\":{\"supported\":[\"2025-06-18\"]}}}\n",
           (int)id.len, id.data);
  else if (!mcp_is_mode("modern"))
    mcp_refuse(id, CK_RPC_METHOD_NOT_FOUND, "no such method");
  else if (!mcp_is_modern(params))
    mcp_refuse(id, CK_RPC_INVALID_PARAMS, "no revision in _meta");
  else
    mcp_answer(id, "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                   "\"capabilities\":{\"tools\":{}},\"ttlMs\":0,\"cacheScope\":\"private\"}");
  fflush(stdout);
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
  mcp_write("\n");
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
 * the file `mcp_argument`. */
static void leave_grandchild(bool away) {
  pid_t child = fork();
  if (child == 0) {
    if (away) setsid();
    pid_t pid = fork();
    if (pid == 0) {
      signal(SIGTERM, SIG_IGN);
      for (;;) pause();
    }
    FILE *file = fopen(mcp_argument, "w");
    if (file) fprintf(file, "%d", (int)pid);
    if (file) fclose(file);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void misbehave(void) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block - 1);
  if (mcp_is_mode("babble")) mcp_write("hello, I am a server\n");
  if (mcp_is_mode("number")) mcp_write("5\n");
  if (mcp_is_mode("log")) mcp_write("{\"level\":\"info\",\"message\":\"up\"}\n");
  if (mcp_is_mode("exit")) {
    fputs("no licence\n", stderr);
    exit(7);
  }
  if (mcp_is_mode("line")) write_for_ever(block);
  if (mcp_is_mode("chatter"))
    write_for_ever("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                   "message\",\"params\":{\"level\":\"info\",\"data\":1}}\n");
  if (mcp_is_mode("shout")) {
    for (int i = 0; i < 64; i++) fwrite(block, 1, sizeof block - 1, stderr);
  }
  if (mcp_is_mode("deep")) write_deep();
  if (mcp_is_mode("full")) fill_pipe();
  if (mcp_is_mode("close")) close(STDOUT_FILENO);
  if (mcp_is_mode("close-input")) close(STDIN_FILENO);
  if (mcp_is_mode("grandchild") || mcp_is_mode("grandchild-away"))
    leave_grandchild(mcp_is_mode("grandchild-away"));
  if (mcp_is_mode("deaf")) signal(SIGTERM, SIG_IGN);
  if (mcp_is_mode("mute") || mcp_is_mode("close") || mcp_is_mode("close-input") ||
      mcp_is_mode("deaf")) {
    for (;;) pause();
  }
}

int main(int argc, char **argv) {
  ck_rpc_message heard;
  if (argc > 1) mcp_mode = argv[1];
  if (argc > 2) mcp_argument = argv[2];
  misbehave();
  bool ready = mcp_is_mode("modern");
  while (mcp_read(&heard)) {
    if (heard.kind == CK_RPC_REQUEST && ck_json_is_text(heard.method, "server/discover"))
      discover(heard.id, heard.params);
    else if (mcp_is_mode("modern") && !mcp_is_modern(heard.params))
      mcp_refuse(heard.id, -32022, "only 2026-07-28");
    else if (heard.kind == CK_RPC_REQUEST && ck_json_is_text(heard.method, "initialize"))
      initialize(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "notifications/initialized"))
      ready = true;
    else if (heard.kind != CK_RPC_REQUEST)
      continue;
    else if (!ready)
      exit(8);
    else if (ck_json_is_text(heard.method, "tools/list"))
      mcp_list_tools(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "tools/call"))
      mcp_call_tool(heard.id, heard.params);
    else
      mcp_refuse(heard.id, CK_RPC_METHOD_NOT_FOUND, "no such method");
  }
  return 0;
}
