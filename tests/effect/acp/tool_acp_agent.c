/* tool_acp_agent.c - a small ACP agent that can misbehave in many ways: `tool_acp_agent [MODE]`.
 *
 * The first word of a prompt selects what it does in the turn. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/jsonrpc/jsonrpc.h"

static const char *mode = "good";
static int sessions, turns, questions;
static char session[64];

static bool is_mode(const char *name) { return strcmp(mode, name) == 0; }

static void say(const char *text) {
  fputs(text, stdout);
  fputc('\n', stdout);
  fflush(stdout);
}

static void answer(ck_bytes id, const char *json) {
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n", (int)id.len, id.data, json);
  fflush(stdout);
}

static void refuse(ck_bytes id, int code, const char *message) {
  printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":%d,\"message\":\"%s\"}}\n",
         (int)id.len, id.data, code, message);
  fflush(stdout);
}

/* The next message; the text lives until the next call. */
static bool hear(ck_rpc_message *out) {
  static char *line;
  static size_t room;
  ck_error err = CK_ERROR_INIT;
  ssize_t len = getline(&line, &room, stdin);
  if (len <= 0) return false;
  ck_bytes text = {line, (size_t)len};
  if (ck_json_check(text, &err) != CK_OK || !ck_rpc_read(out, text)) {
    fprintf(stderr, "the client wrote nonsense: %s", line);
    exit(9);
  }
  return true;
}

static void update(const char *json) {
  printf("{\"jsonrpc\":\"2.0\",\"method\":\"session/"
         "update\",\"params\":{\"sessionId\":\"%s\",\"update\":%s}}\n",
         session, json);
  fflush(stdout);
}

static void speak(const char *text) {
  ck_buffer json = {0};
  ck_buffer_append_text(
      &json, "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":");
  ck_json_append_string(&json, ck_bytes_text(text));
  ck_buffer_append_text(&json, "}}");
  update(json.data);
  ck_buffer_clear(&json);
}

/* Asks the client for permission and repeats the answer in words; false when the answer was to
 * stop. */
static bool ask(const char *method, const char *params) {
  ck_rpc_message heard;
  ck_buffer text = {0};
  printf("{\"jsonrpc\":\"2.0\",\"id\":\"q%d\",\"method\":\"%s\",\"params\":{\"sessionId\":\"%s\",%"
         "s}}\n",
         ++questions, method, session, params);
  fflush(stdout);
  bool stopped = false;
  do {
    if (!hear(&heard)) exit(0);
    stopped |= ck_json_is_text(heard.method, "session/cancel");
  } while (heard.kind != CK_RPC_ANSWER);
  ck_buffer_append_bytes(&text, heard.result.len ? heard.result : heard.error);
  if (!stopped) speak(text.data);
  fprintf(stderr, "heard %s\n", text.data);
  ck_buffer_clear(&text);
  return !stopped;
}

/* ---- turns ---- */

/* Updates of all kinds, of its own session and of another one. */
static bool hello(const char *rest) {
  (void)rest;
  update("{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":"
         "\"hm\"}}");
  speak("Hello, ");
  update("{\"sessionUpdate\":\"plan\",\"entries\":[]}");
  update("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c1\",\"title\":\"Look\",\"kind\":"
         "\"read\"}");
  update("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c1\",\"status\":\"completed\"}");
  update("{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"image\",\"data\":"
         "\"AAAA\",\"mimeType\":\"image/png\"}}");
  update("{\"sessionUpdate\":\"some_day\"}");
  say("{\"jsonrpc\":\"2.0\",\"method\":\"session/"
      "update\",\"params\":{\"sessionId\":\"another\",\"update\":{\"sessionUpdate\":\"plan\"}}}");
  say("{\"jsonrpc\":\"2.0\",\"method\":\"_vendor/thing\",\"params\":{}}");
  speak("world.");
  return true;
}

#define OPTIONS                                                                                    \
  "\"options\":[{\"optionId\":\"ever\",\"name\":\"Always\",\"kind\":\"allow_always\"},"            \
  "{\"optionId\":\"yes\",\"name\":\"Yes\",\"kind\":\"allow_once\"},{\"optionId\":\"no\",\"name\":" \
  "\"No\",\"kind\":\"reject_once\"}]"

/* A permission whose kind was reported when the call began. */
static bool edit(const char *rest) {
  (void)rest;
  update("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c2\",\"title\":\"Change "
         "it\",\"kind\":\"edit\"}");
  return ask("session/request_permission",
             "\"toolCall\":{\"toolCallId\":\"c2\",\"title\":\"Change it\"}," OPTIONS);
}

/* A permission for a tool of that kind; "none" leaves the kind out. */
static bool permit(const char *kind) {
  char params[512];
  bool none = strcmp(kind, "none") == 0;
  snprintf(params, sizeof params,
           "\"toolCall\":{\"toolCallId\":\"c3\",\"title\":\"Do it\"%s%s%s}," OPTIONS,
           none ? "" : ",\"kind\":\"", none ? "" : kind, none ? "" : "\"");
  return ask("session/request_permission", params);
}

/* Wants an action of its own: a JSON object with `toolCallId`, `kind`, `title`, `rawInput`. What it
 * heard becomes a line of the file named by $WANTED: what an agent does, it does outside. */
static bool want(const char *call) {
  char params[2048];
  snprintf(params, sizeof params, "\"toolCall\":%s," OPTIONS, call);
  bool goes_on = ask("session/request_permission", params);
  const char *path = getenv("WANTED");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) fprintf(file, "%s %s\n", call, goes_on ? "went on" : "stopped");
  if (file) fclose(file);
  return goes_on;
}

#define CALL(id, what)                                                    \
  "{\"toolCallId\":\"" id "\",\"kind\":\"execute\",\"title\":\"Run " what \
  "\",\"rawInput\":{\"command\":\"" what "\"}}"

/* Twice the same action, under one id ("same") or under two ("again"); or two actions. */
static bool want_twice(const char *rest) {
  if (strcmp(rest, "same") == 0) return want(CALL("w1", "ls")) && want(CALL("w1", "ls"));
  if (strcmp(rest, "again") == 0) return want(CALL("w1", "ls")) && want(CALL("w2", "ls"));
  return want(CALL("w1", "ls")) && want(CALL("w2", "rm"));
}

/* One that is never the same id, as most agents do; dies behind it when told to, once. */
static bool want_new(const char *rest) {
  char call[512];
  snprintf(call, sizeof call,
           "{\"toolCallId\":\"%d\",\"kind\":\"execute\",\"title\":\"Run it\","
           "\"rawInput\":{\"command\":\"make\"}}",
           (int)getpid());
  bool goes_on = want(call);
  if (goes_on && *rest && access(rest, F_OK) != 0) {
    FILE *file = fopen(rest, "w");
    if (file) fclose(file);
    exit(3);
  }
  return goes_on;
}

/* Asks twice at once under one id before it hears an answer; "deaf" ends its turn without one. */
static bool want_at_once(const char *rest) {
  ck_rpc_message heard;
  ck_buffer text = {0};
  for (int i = 0; i < 2; i++)
    printf("{\"jsonrpc\":\"2.0\",\"id\":\"a%d\",\"method\":\"session/"
           "request_permission\",\"params\":{\"sessionId\":\"%s\",\"toolCall\":" CALL(
               "w1", "ls") "," OPTIONS "}}\n",
           i, session);
  fflush(stdout);
  for (int i = 0; i < 2 && strcmp(rest, "deaf") != 0; i++) {
    do {
      if (!hear(&heard)) exit(0);
      if (ck_json_is_text(heard.method, "session/cancel")) return false;
    } while (heard.kind != CK_RPC_ANSWER);
    ck_buffer_append_bytes(&text, heard.result);
  }
  speak(text.data ? text.data : "did not wait");
  ck_buffer_clear(&text);
  return true;
}

/* A request for permission as it must not be: what is asked for is missing or of another type. */
static bool want_nonsense(const char *rest) {
  if (strcmp(rest, "call") == 0)
    return ask("session/request_permission", "\"toolCall\":5," OPTIONS);
  if (strcmp(rest, "options") == 0)
    return ask("session/request_permission", "\"toolCall\":" CALL("w1", "ls"));
  if (strcmp(rest, "always") == 0)
    return ask(
        "session/request_permission",
        "\"toolCall\":" CALL(
            "w1", "ls") ",\"options\":"
                        "[{\"optionId\":\"ever\",\"name\":\"Always\",\"kind\":\"allow_always\"}]");
  return ask("session/request_permission",
             "\"toolCall\":{\"kind\":[],\"title\":{}},\"options\":{}");
}

static bool permit_no_options(const char *rest) {
  (void)rest;
  return ask("session/request_permission", "\"toolCall\":{\"toolCallId\":\"c4\"},\"options\":[]");
}

/* An agent that knows no answer for this once. */
static bool permit_ever(const char *rest) {
  (void)rest;
  return ask("session/request_permission",
             "\"toolCall\":{\"toolCallId\":\"c5\",\"title\":\"Do it\",\"kind\":\"execute\"},"
             "\"options\":[{\"optionId\":\"ever\",\"name\":\"Always\",\"kind\":\"allow_always\"},"
             "{\"optionId\":\"never\",\"name\":\"Never\",\"kind\":\"reject_always\"}]");
}

static bool read_file(const char *path) {
  char params[4300];
  snprintf(params, sizeof params, "\"path\":\"%s\"", path);
  return ask("fs/read_text_file", params);
}

static bool write_file(const char *path) {
  char params[4300];
  snprintf(params, sizeof params, "\"path\":\"%s\",\"content\":\"written\\n\"", path);
  return ask("fs/write_text_file", params);
}

/* "VERB PATH": the file has another name when it asks for it. */
static bool rename_first(const char *rest) {
  char verb[16], path[4096], moved[4200];
  if (sscanf(rest, "%15s %4095s", verb, path) != 2) exit(7);
  snprintf(moved, sizeof moved, "%.*s/moved.txt", (int)(strrchr(path, '/') - path), path);
  if (rename(path, moved) != 0) exit(7);
  bool ended = strcmp(verb, "read") == 0 ? read_file(moved) : write_file(moved);
  if (rename(moved, path) != 0) exit(7);
  return ended;
}

/* Every lock in the folder gets another name there. */
static bool link_locks(const char *folder) {
  char from[4200], to[4096];
  DIR *open = opendir(folder);
  struct dirent *entry;
  int count = 0;
  while (open && (entry = readdir(open))) {
    if (!strstr(entry->d_name, ".lock")) continue;
    snprintf(from, sizeof from, "%s/%s", folder, entry->d_name);
    snprintf(to, sizeof to, "%s/../linked.txt", folder);
    count += link(from, to) == 0;
  }
  if (open) closedir(open);
  speak(count == 1 ? "linked" : "no lock");
  return true;
}

static bool use_terminal(const char *rest) {
  (void)rest;
  return ask("terminal/create", "\"command\":\"ls\"");
}

/* Cumulative, as the protocol has it. */
static bool cost(const char *rest) {
  char json[256];
  snprintf(json, sizeof json,
           "{\"sessionUpdate\":\"usage_update\",\"used\":1,\"size\":2,\"cost\":{\"amount\":%.2f,"
           "\"currency\":\"%s\"}}",
           0.25 * turns, *rest ? rest : "USD");
  update(json);
  return true;
}

static bool angry;

/* Works until it is cancelled; "deaf" ignores the cancel, "angry" answers with an error, as many an
 * agent does. */
static bool hang(const char *rest) {
  ck_rpc_message heard;
  angry = strcmp(rest, "angry") == 0;
  bool deaf = strcmp(rest, "deaf") == 0;
  speak("working");
  do {
    if (!hear(&heard)) exit(0);
  } while (deaf || !ck_json_is_text(heard.method, "session/cancel"));
  return strcmp(rest, "stubborn") == 0;
}

/* "COUNT [COUNT]": so many updates, each when the client has answered; with a second number a
 * permission is asked for in between. */
static bool tick(const char *rest) {
  int before = 0, after = 0;
  int count = sscanf(rest, "%d %d", &before, &after);
  while (before-- > 0) {
    if (!ask("terminal/create", "\"command\":\"ls\"")) return false;
  }
  if (count == 2 && !edit(rest)) return false;
  while (after-- > 0) {
    if (!ask("terminal/create", "\"command\":\"ls\"")) return false;
  }
  return true;
}

/* "Your work on what follows was interrupted …" */
static bool go_on(const char *rest) {
  (void)rest;
  speak("I went on.");
  return true;
}

/* Asks for a thousand permissions and waits for none; then works until it is cancelled. */
static bool beg(const char *rest) {
  for (int i = 0; i < 1000; i++)
    printf("{\"jsonrpc\":\"2.0\",\"id\":\"b%d\",\"method\":\"session/"
           "request_permission\",\"params\":{\"sessionId\":\"%s\","
           "\"toolCall\":{\"toolCallId\":\"c%d\",\"title\":\"Do it\"}," OPTIONS "}}\n",
           i, session, i);
  fflush(stdout);
  return hang(rest);
}

static bool die(const char *rest) {
  (void)rest;
  fputs("out of luck\n", stderr);
  exit(3);
}

static bool blurt(const char *rest) {
  (void)rest;
  say("Thinking about \"it\"...\x1b[1m");
  return true;
}

static bool flood(const char *rest) {
  (void)rest;
  for (;;) speak("more");
  return true;
}

static bool tell_pid(const char *rest) {
  char text[128];
  (void)rest;
  snprintf(text, sizeof text, "%d %s %d", (int)getpid(), session, turns);
  speak(text);
  return true;
}

static char first_block[32];
static int block_count;

static bool tell_blocks(const char *rest) {
  char text[64];
  (void)rest;
  snprintf(text, sizeof text, "%d %s", block_count, first_block);
  speak(text);
  return true;
}

static ck_buffer whole;

/* What it was told, as it came. */
static bool tell_prompt(const char *rest) {
  (void)rest;
  speak(whole.data);
  return true;
}

static const struct {
  const char *word;
  bool (*act)(const char *rest);
} acts[] = {
    {"see", tell_prompt},
    {"hello", hello},
    {"edit", edit},
    {"permit", permit},
    {"no-options", permit_no_options},
    {"permit-ever", permit_ever},
    {"want", want},
    {"twice", want_twice},
    {"new", want_new},
    {"at-once", want_at_once},
    {"nonsense", want_nonsense},
    {"read", read_file},
    {"write", write_file},
    {"rename", rename_first},
    {"link-locks", link_locks},
    {"terminal", use_terminal},
    {"cost", cost},
    {"hang", hang},
    {"tick", tick},
    {"Your", go_on},
    {"beg", beg},
    {"die", die},
    {"blurt", blurt},
    {"flood", flood},
    {"pid", tell_pid},
    {"blocks", tell_blocks},
};

/* A line of the file named by $PROMPTS. */
static void keep_prompt(void) {
  const char *path = getenv("PROMPTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s\n", whole.data);
  fclose(file);
}

static void prompt(ck_bytes id, ck_bytes params) {
  ck_buffer own = {0};
  ck_json_iterator it = ck_json_iterate(ck_json_get(params, "prompt"));
  char *text = NULL; /* of the last block */
  ck_buffer_reset(&whole);
  ck_buffer_append_bytes(&whole, ck_json_get(params, "prompt"));
  ck_buffer_append_text(&whole, "");
  keep_prompt();
  for (block_count = 0; ck_json_next(&it); block_count++) {
    free(text);
    text = ck_json_dup_string(ck_json_get(it.value, "text"));
    if (block_count == 0) snprintf(first_block, sizeof first_block, "%s", text ? text : "");
  }
  char *rest = text ? strchr(text, ' ') : NULL;
  ck_buffer_append_bytes(&own, id);
  if (rest) *rest++ = '\0';
  turns++;
  angry = false;
  for (size_t i = 0; text && i < sizeof acts / sizeof *acts; i++) {
    if (strcmp(acts[i].word, text) != 0) continue;
    bool ended = acts[i].act(rest ? rest : "");
    if (angry)
      refuse(ck_buffer_bytes(&own), -32603, "aborted");
    else
      answer(ck_buffer_bytes(&own),
             ended ? "{\"stopReason\":\"end_turn\"}" : "{\"stopReason\":\"cancelled\"}");
  }
  if (text && strcmp(text, "refuse") == 0) refuse(ck_buffer_bytes(&own), -32603, "no model today");
  if (text && strcmp(text, "refuse-why") == 0)
    printf(
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"Internal error\","
        "\"data\":{\"details\":\"API Error: 401\",\"more\":\"%s\"}}}\n",
        own.data, rest ? rest : ""),
        fflush(stdout);
  if (text && strcmp(text, "reasonless") == 0) answer(ck_buffer_bytes(&own), "{}");
  free(text);
  ck_buffer_clear(&own);
}

static void open_session(ck_bytes id, ck_bytes params) {
  char json[128];
  if (is_mode("locked")) {
    refuse(id, -32000, "log in first");
    return;
  }
  if (is_mode("no-session")) {
    answer(id, "{\"sessionId\":5}");
    return;
  }
  if (!ck_json_get(params, "cwd").len ||
      ck_json_type_of(ck_json_get(params, "mcpServers")) != CK_JSON_ARRAY)
    exit(8);
  snprintf(session, sizeof session, "s%d-%d", (int)getpid(), ++sessions);
  snprintf(json, sizeof json, "{\"sessionId\":\"%s\"}", session);
  answer(id, json);
}

/* Repeats the session's messages, as the protocol requires. */
static void load_session(ck_bytes id, ck_bytes params) {
  ck_buffer own = {0};
  char *wanted = ck_json_dup_string(ck_json_get(params, "sessionId"));
  ck_buffer_append_bytes(&own, id);
  if (wanted && strncmp(wanted, "lost", 4) != 0) {
    snprintf(session, sizeof session, "%s", wanted);
    speak("what I said long ago");
    answer(ck_buffer_bytes(&own), "null");
  } else {
    refuse(ck_buffer_bytes(&own), -32002, "no such session");
  }
  free(wanted);
  ck_buffer_clear(&own);
}

static void greet(ck_bytes id, ck_bytes params) {
  char json[512];
  ck_bytes files = ck_json_get(ck_json_get(params, "clientCapabilities"), "fs");
  fprintf(stderr, "files %.*s\n", (int)files.len, files.data);
  snprintf(
      json, sizeof json, "{\"protocolVersion\":%d,\"agentCapabilities\":{\"loadSession\":%s%s}%s}",
      is_mode("future") ? 2 : 1, is_mode("loads") ? "true" : "false",
      is_mode("sees") ? ",\"promptCapabilities\":{\"image\":true,\"embeddedContext\":true}" : "",
      is_mode("locked")
          ? ",\"authMethods\":[{\"id\":\"l\",\"name\":\"Log in\",\"description\":\"run: "
            "coder login\"},{\"id\":\"k\",\"name\":\"API key\"},7]"
          : "");
  answer(id, json);
}

int main(int argc, char **argv) {
  ck_rpc_message heard;
  if (argc > 1) mode = argv[1];
  if (is_mode("babble")) say("Welcome to the agent!");
  if (is_mode("mute")) {
    for (;;) pause();
  }
  while (hear(&heard)) {
    if (heard.kind != CK_RPC_REQUEST)
      continue;
    else if (ck_json_is_text(heard.method, "initialize"))
      greet(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "session/new"))
      open_session(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "session/load"))
      load_session(heard.id, heard.params);
    else if (ck_json_is_text(heard.method, "session/prompt"))
      prompt(heard.id, heard.params);
    else
      refuse(heard.id, -32601, "no such method");
  }
  return 0;
}
