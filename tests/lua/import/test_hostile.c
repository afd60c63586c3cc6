/* test_hostile.c - whatever a file holds: an error or sessions that are whole, what is lost is
 * told, never a crash. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/import/imports.h"
#include "tests/tap.h"
#include "core/store/verify.h"

static const char data[] = "tests/lua/import/data";
static const char *const formats[] = {
    "agentdojo",     "anthropic", "moatless",   "openhands",    "claude_code",
    "codex",         "gemini",    "hyperagent", "langgraph",    "openai",
    "openai_agents", "opencode",  "otlp",       "owl_roleplay", "pi",
    "relay",         "swe_agent", "tau2_bench", "tau_bench",    "who_and_when"};
static const char *const samples[] = {
    "tau_bench.json",     "tau2_bench.json",    "openai.json",         "openai_many.jsonl",
    "openai_lines.jsonl", "pi.jsonl",           "swe_agent.traj",      "swe_tools.traj",
    "crafted.json",       "generated.json",     "claude_inline.jsonl", "claude_code.jsonl",
    "codex.jsonl",        "codex_old.jsonl",    "gemini.json",         "opencode.json",
    "run_state.json",     "run_state_js.json",  "otlp.json",           "otlp_events.jsonl",
    "gemini_lines.jsonl", "agentdojo.jsonl",    "anthropic.json",      "anthropic_lines.jsonl",
    "moatless_loop.json", "moatless_tree.json", "openhands.jsonl",     "openhands_odd.jsonl",
    "openhands_log.json", "openai_log.jsonl"};

static bool is_well(imports *f) {
  ck_verify_report report;
  return ck_store_verify(&report, f->store, NULL, NULL, NULL, &f->err) == CK_OK &&
         report.problems == 0;
}

/* True when the outcome is one of those promised: sessions, or an error that names the file. */
static bool is_answer(imports *f, ck_status status, const char *path) {
  if (status == CK_OK) return f->count + f->existed > 0;
  return (status == CK_E_PARSE || status == CK_E_UNSUPPORTED || status == CK_E_TYPE) &&
         strstr(f->err.text, path);
}

/* Whether the file is cut at `len`, and lines before it are all imported. */
static void check_cut(const char *path, size_t parts, const char *name) {
  ck_buffer text = {0};
  imports_read(&text, path);
  const char *cut_path = tap_tmpfile("cut.jsonl");
  int64_t bad = 0, silent = 0;
  for (size_t i = 0; i < parts; i++) {
    imports f;
    imports_open(&f);
    ck_bytes cut = {text.data, text.len * i / parts};
    imports_write(cut_path, cut);
    ck_status status = imports_import(&f, cut_path, NULL);
    if (!is_answer(&f, status, cut_path) || !is_well(&f)) {
      bad++;
      tap_diag("%s cut at %zu: %s", name, cut.len, f.err.text);
    }
    const char *last = cut.len ? memrchr(cut.data, '\n', cut.len) : NULL;
    ck_bytes rest = last ? (ck_bytes){last + 1, cut.len - (size_t)(last + 1 - cut.data)} : cut;
    ck_error ignored = CK_ERROR_INIT;
    bool whole = rest.len == 0 || ck_json_check(rest, &ignored) == CK_OK;
    silent += status == CK_OK && !whole && f.lost == 0;
    imports_close(&f);
  }
  tap_is_int(bad, 0, "%s cut anywhere gives an error that names it, or whole sessions", name);
  tap_is_int(silent, 0, "%s: a line that is cut off is told", name);
  ck_buffer_clear(&text);
}

static void check_truncation(void) {
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    check_cut(imports_path(data, samples[i]), 200, samples[i]);
}

static void check_recorded_truncation(void) {
  static const char *const files[] = {
      "pi/large-session.jsonl",
      "claude_code_inline/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl",
      "agentdojo/gpt-4o-2024-05-13.jsonl",
      "tau2_bench/gpt-4.1_telecom.json",
      "tau_bench/gpt-4o-airline.task00-24.trial0-1.json",
      "swe_agent/katy.traj",
      "who_and_when/hand_crafted/8.json"};
  if (!tap_data_dir()) {
    tap_skip("the recorded sessions ($CKRUN_DATA) are not there");
    return;
  }
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    check_cut(imports_path(tap_data_dir(), files[i]), 20, files[i]);
}

static void check_wrong_format(void) {
  int64_t bad = 0;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    for (size_t j = 0; j < sizeof formats / sizeof *formats; j++) {
      imports f;
      imports_open(&f);
      const char *path = imports_path(data, samples[i]);
      ck_status status = imports_import(&f, path, formats[j]);
      if (!is_answer(&f, status, path) || !is_well(&f)) {
        bad++;
        tap_diag("%s as %s: %s", samples[i], formats[j], f.err.text);
      }
      imports_close(&f);
    }
  tap_is_int(bad, 0,
             "a wrong format that is forced gives an error that names the file, or whole sessions");
}

/* One file's content: what it comes to when its format is told from it, and that no forced format
 * crashes. */
static void check_text(const char *name, ck_bytes text, ck_status want) {
  imports f;
  const char *path = tap_tmpfile("hostile.jsonl");
  imports_write(path, text);
  imports_open(&f);
  ck_status status = imports_import(&f, path, NULL);
  tap_is_status(status, want, &f.err, "%s", name);
  tap_ok(is_answer(&f, status, path) && is_well(&f), "%s: it is told, and the store is well", name);
  int64_t bad = 0;
  for (size_t j = 0; j < sizeof formats / sizeof *formats; j++) {
    imports_reset(&f);
    status = imports_import(&f, path, formats[j]);
    if (!is_answer(&f, status, path) || !is_well(&f)) {
      bad++;
      tap_diag("%s as %s: %s", name, formats[j], f.err.text);
    }
  }
  tap_is_int(bad, 0, "%s: no forced format is another matter", name);
  imports_close(&f);
}

/* What comes of a database of which a byte is another one, or the end is missing. */
static void check_database(const char *name) {
  ck_buffer whole = {0};
  int64_t bad = 0;
  const char *path = tap_tmpfile("hostile.db");
  imports_read(&whole, imports_path(data, name));
  for (uint32_t i = 0; i < 120; i++) {
    imports f;
    size_t at = (size_t)(i * 2654435761u) % whole.len;
    char old = whole.data[at];
    if (i % 3) whole.data[at] = (char)(old ^ (1 << i % 8) ^ (i % 5 ? 0 : 0xff));
    imports_write(path, (ck_bytes){whole.data, i % 3 ? whole.len : whole.len * i / 120});
    whole.data[at] = old;
    imports_open(&f);
    ck_status status = imports_import(&f, path, NULL);
    if (!is_answer(&f, status, path) || !is_well(&f)) {
      bad++;
      tap_diag("%s, %u at %zu: %s", name, i, at, f.err.text);
    }
    imports_close(&f);
  }
  tap_is_int(bad, 0, "%s, damaged anywhere: an error that names it, or whole sessions", name);
  ck_buffer_clear(&whole);
}

/* An input of the fuzzer, with wrong types at each place. */
static void check_corpus(const char *name, ck_status want) {
  ck_buffer text = {0};
  imports_read(&text, imports_path("tests/fuzz/corpus/import", name));
  check_text(name, ck_buffer_bytes(&text), want);
  ck_buffer_clear(&text);
}

static void check_contents(void) {
  ck_buffer text = {0};
  check_text("an empty file", (ck_bytes){0}, CK_E_UNSUPPORTED);
  check_text("a number", ck_bytes_text("7"), CK_E_UNSUPPORTED);
  check_text("null", ck_bytes_text("null\n"), CK_E_UNSUPPORTED);
  check_text("empty arrays", ck_bytes_text("[[],[],{}]"), CK_E_UNSUPPORTED);
  check_text("nulls where objects belong",
             ck_bytes_text(
                 "[{\"task_id\":null,\"traj\":null},{\"task_id\":1,\"traj\":[null,1,\"x\",[]]}]"),
             CK_E_UNSUPPORTED);
  check_text("messages of every wrong type",
             ck_bytes_text("[{\"role\":\"user\",\"content\":1},null,1,\"x\",{},{\"role\":7},{"
                           "\"role\":\"assistant\",\"tool_calls\":[null,1,{},{\"function\":5},"
                           "{\"function\":{\"name\":{}}}]},{\"role\":\"tool\"},{\"role\":\"tool\","
                           "\"tool_call_id\":{},\"error\":{}}]"),
             CK_OK);
  check_text("a wrong history",
             ck_bytes_text("{\"question_ID\":\"q\",\"history\":[{\"role\":\"human\"},{\"role\":\" "
                           "(\"},{\"role\":\"X (-> \"},null,3]}"),
             CK_OK);
  check_text("a wrong trajectory",
             ck_bytes_text("{\"trajectory\":[null,1,{\"action\":\"\\nx\"}],\"history\":[1,{"
                           "\"role\":\"assistant\",\"action\":\"\\n\"}],"
                           "\"info\":[]}"),
             CK_OK);
  check_text("wrong simulations",
             ck_bytes_text("{\"simulations\":[{\"messages\":[{\"role\":\"user\",\"cost\":-1,"
                           "\"timestamp\":\"9999999-99\"}]},{\"messages\":7}]}"),
             CK_OK);
  check_text("a wrong session of Claude Code",
             ck_bytes_text("{\"sessionId\":\"s\",\"type\":\"user\",\"message\":{\"content\":[1,"
                           "null,{\"type\":\"tool_result\"}]}}\n"
                           "{\"sessionId\":\"s\",\"type\":\"assistant\",\"isSidechain\":true,"
                           "\"message\":{\"id\":\"a\",\"content\":7}}\n"
                           "{\"sessionId\":\"s\",\"type\":\"progress\",\"data\":{\"type\":\"agent_"
                           "progress\",\"agentId\":\"x\",\"message\":{\"message\":{}}}}\n[]\n"),
             CK_OK);
  check_corpus("run_state", CK_OK);
  check_corpus("otlp", CK_OK);
  check_text(
      "a wrong session of pi",
      ck_bytes_text(
          "{\"type\":\"session\",\"cwd\":\"\",\"id\":5}\n{\"type\":\"message\",\"message\":{"
          "\"role\":\"assistant\","
          "\"content\":3,\"usage\":{\"cost\":{\"total\":1e300},\"input\":-5}}}\n{\"type\":{}}\n"),
      CK_E_PARSE);
  for (size_t i = 0; i < 200000; i++) ck_buffer_append_char(&text, (char)(i * 2654435761u >> 13));
  check_text("binary", ck_buffer_bytes(&text), CK_E_UNSUPPORTED);
  ck_buffer_reset(&text);
  for (size_t i = 0; i < 100000; i++) ck_buffer_append_char(&text, '[');
  check_text("nested without end", ck_buffer_bytes(&text), CK_E_UNSUPPORTED);
  ck_buffer_reset(&text);
  ck_buffer_append_text(&text, "[{\"role\":\"user\",\"content\":");
  for (int i = 0; i < 240; i++) ck_buffer_append_char(&text, '[');
  for (int i = 0; i < 240; i++) ck_buffer_append_char(&text, ']');
  ck_buffer_append_text(&text, "}]");
  check_text("nested so deeply that no event can hold it", ck_buffer_bytes(&text),
             CK_E_UNSUPPORTED);
  ck_buffer_clear(&text);
}

static void check_lines(void) {
  imports f;
  imports_open(&f);
  ck_buffer text = {0};
  ck_buffer_append_text(&text,
                        "{\"type\":\"session\",\"id\":\"big\",\"cwd\":\"/"
                        "\"}\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"");
  for (size_t i = 0; i < 10 << 20; i++) ck_buffer_append_char(&text, 'a');
  ck_buffer_append_text(&text, "\"}}\r\n\n  \nbad\n\xEF\xBB\xBF{}\n{\"type\":\"x\",\"y\":\"\\u0000 "
                               "\\udc00\"}\n{\"type\":\"z\"}\n\"\xff\"");
  const char *path = tap_tmpfile("lines.jsonl");
  imports_write(path, ck_buffer_bytes(&text));
  tap_is_status(imports_import(&f, path, NULL), CK_OK, &f.err, "a line of 10 MB is imported");
  tap_is_int((int64_t)f.lost, 3, "lines that are no JSON, or not UTF-8, are counted");
  tap_is_int(f.last_lost, 9, "with their numbers, empty lines counted");
  tap_is_int((int64_t)f.mended, 1,
             "characters that JSON cannot hold are replaced, and that is told");
  tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_NOTE, "type", "error"), 3,
             "their places are kept in the session");
  tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_NOTE, "name", "z"), 1,
             "the rest is imported");
  tap_ok(is_well(&f), "and the store is well");
  ck_buffer_clear(&text);
  imports_close(&f);
}

/* The text of a module over one line of input. */
static void check_module(const char *name, const char *body, ck_status want, const char *says) {
  imports f;
  ck_buffer script = {0};
  const char *path = tap_tmpfile("module.lua"), *input = tap_tmpfile("module.jsonl");
  imports_open(&f);
  ck_buffer_append_format(&script,
                          "local import = require 'ck.import'\nreturn { name = 'x', import = "
                          "function(source, emit)\n%s\nend }\n",
                          body);
  imports_write(path, ck_buffer_bytes(&script));
  imports_write(input, ck_bytes_text("{\"a\": 1}\n"));
  ck_status status = imports_import(&f, input, path);
  tap_is_status(status, want, &f.err, "a module: %s", name);
  if (says)
    tap_ok(strstr(f.err.text, says) != NULL, "a module: %s: '%s' says '%s'", name, f.err.text,
           says);
  tap_ok(is_well(&f) && (status == CK_OK || f.count == 0), "a module: %s: nothing half made stays",
         name);
  ck_buffer_clear(&script);
  imports_close(&f);
}

static void check_modules(void) {
  check_module("that raises", "emit { kind = 'session', id = 's' } error('oh')", CK_E_PARSE,
               "module.lua:3: oh");
  check_module("that tells nothing", "", CK_E_PARSE, "no session of format x");
  check_module("without a session first", "emit { kind = 'meta' }", CK_E_PARSE,
               "must be a session");
  check_module("with an unknown field", "emit { kind = 'session', id = 's', sorce = 1 }",
               CK_E_PARSE, "did you mean 'source'?");
  check_module("with an unknown kind", "emit { kind = 'sesion', id = 's' }", CK_E_PARSE,
               "did you mean 'session'?");
  check_module("with a field of a wrong type", "emit { kind = 'session', id = {} }", CK_E_PARSE,
               "'id' must be a text");
  check_module("with a cost that is none", "emit { kind = 'session', id = 's', cost = 0/0 }",
               CK_E_PARSE, "'cost' is out of range");
  check_module("without a message", "emit { kind = 'session', id = 's' } emit { kind = 'message' }",
               CK_E_PARSE, "message (an object)");
  check_module("without an agent",
               "emit { kind = 'session', id = 's' } emit { kind = 'model', message = { role = "
               "'assistant' } }",
               CK_E_PARSE, "it needs 'agent'");
  check_module("with an end that is none",
               "emit { kind = 'session', id = 's' } emit { kind = 'end', status = 'running' }",
               CK_E_PARSE, "not 'running'");
  check_module("with a table that contains itself",
               "local t = {} t.t = t emit { kind = 'session', id = 's', about = t }", CK_E_PARSE,
               "contains itself");
  check_module("that writes to the source", "for _, line in source.lines() do line.a = 2 end",
               CK_E_PARSE, "read-only");
  check_module("that reaches for the outside", "io.open('/etc/passwd')", CK_E_PARSE,
               "undefined global 'io'");
  check_module("with parents in a circle",
               "emit { kind = 'session', id = 's' } emit { kind = 'agent', id = 'a', parent = 'b' "
               "} emit { kind = 'agent', id = 'b', parent = 'a' }\n"
               "emit { kind = 'model', agent = 'a', message = { role = 'assistant' } }",
               CK_OK, NULL);
  check_module("with many calls and results",
               "emit { kind = 'session', id = 's' }\nfor i = 1, 5000 do emit { kind = 'tool_call', "
               "agent = 'a', id = tostring(i), name = 'n' } end\n"
               "for i = 5000, 1, -1 do emit { kind = 'tool_result', agent = 'a', id = tostring(i), "
               "content = i } end",
               CK_OK, NULL);
}

/* In the place of a message, of each kind of fact that may have one. */
static void check_message(const char *message, const char *source, int64_t line, const char *says) {
  imports f;
  ck_buffer script = {0};
  const char *path = tap_tmpfile("message.lua"), *input = tap_tmpfile("message.jsonl");
  imports_open(&f);
  ck_buffer_append_format(&script,
                          "return { name = 'x', import = function(source, emit)\n"
                          "emit { kind = 'session', id = 's' }\n"
                          "emit { kind = 'message', message = { role = 'user', content = 'y' } }\n"
                          "for _, kind in ipairs { 'message', 'model', 'tool_result' } do\n"
                          "emit { kind = kind, agent = 'a', message = %s, source = %s } end\n"
                          "end }\n",
                          message, source);
  imports_write(path, ck_buffer_bytes(&script));
  imports_write(input, ck_bytes_text("{\"a\": 1}\n"));
  tap_is_status(imports_import(&f, input, path), CK_OK, &f.err,
                "the message %s is left out, not all of the file", message);
  tap_is_int((int64_t)f.lost, 3, "of each kind of fact");
  tap_is_int(f.last_lost, line, "by its line");
  tap_is_text(f.problem, says, "with what is wrong");
  tap_is_int(imports_count(&f, f.sessions[0].id, CK_EVENT_MESSAGE, NULL, NULL), 1,
             "what is a message is there");
  tap_ok(is_well(&f), "and the store is well");
  ck_buffer_clear(&script);
  imports_close(&f);
}

static void check_messages(void) {
  check_message("ck.array { 1, 2 }", "7", 7, "its message is a list, not an object");
  check_message("'x'", "{ 'part.jsonl', 4 }", 4,
                "part.jsonl: its message is a text, not an object");
  check_message("5", "{ { 'a', 8 }, { 'b', 9 } }", 8, "a: its message is a number, not an object");
  check_message("true", "nil", 0, "its message is a boolean, not an object");
}

int main(void) {
  check_messages();
  check_truncation();
  check_wrong_format();
  check_database("langgraph.db");
  check_database("langgraph_python.db");
  check_contents();
  check_lines();
  check_modules();
  check_recorded_truncation();
  return tap_done();
}
