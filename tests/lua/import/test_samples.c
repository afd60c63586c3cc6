/* test_samples.c - each format's sample becomes exactly the events written down beside it. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/import/imports.h"
#include "tests/tap.h"
#include "core/store/verify.h"

static const char data[] = "tests/lua/import/data";

/* With CKRUN_IMPORT_WRITE set, the expectation is written instead; look at it before you keep
 * it. */
static void check_sample(const char *name, const char *format, size_t lost) {
  imports f;
  imports_open(&f);
  ck_buffer got = {0}, want = {0}, name_of_expected = {0};
  ck_buffer_append_format(&name_of_expected, "%s.expected", name);
  const char *expected = imports_path(data, name_of_expected.data);
  tap_is_status(imports_import(&f, imports_path(data, name), NULL), CK_OK, &f.err, "%s is imported",
                name);
  tap_is_text(f.format, format, "%s: its format is told apart", name);
  tap_is_int((int64_t)f.lost, (int64_t)lost, "%s: lines that cannot be read are counted", name);
  for (size_t i = 0; i < f.count; i++) {
    ck_buffer_append_format(&got, "== %s\n", f.sessions[i].id);
    imports_dump(&got, &f, f.sessions[i].id);
  }
  if (getenv("CKRUN_IMPORT_WRITE")) imports_write(expected, ck_buffer_bytes(&got));
  imports_read(&want, expected);
  tap_is_bytes(ck_buffer_bytes(&got), ck_buffer_bytes(&want),
               "%s: its events are those written down", name);
  ck_verify_report report;
  tap_is_status(ck_store_verify(&report, f.store, NULL, NULL, NULL, &f.err), CK_OK, &f.err,
                "%s: the store can be verified", name);
  tap_is_int(report.problems, 0, "%s: and all is well", name);
  ck_buffer_clear(&got);
  ck_buffer_clear(&want);
  ck_buffer_clear(&name_of_expected);
  imports_close(&f);
}

int main(void) {
  check_sample("tau_bench.json", "tau_bench", 0);
  check_sample("tau2_bench.json", "tau2_bench", 0);
  check_sample("openai.json", "openai", 0);
  check_sample("openai_many.jsonl", "openai", 2);
  check_sample("openai_lines.jsonl", "openai", 1);
  check_sample("pi.jsonl", "pi", 0);
  check_sample("swe_agent.traj", "swe_agent", 0);
  check_sample("swe_tools.traj", "swe_agent", 0);
  check_sample("gemini_lines.jsonl", "gemini", 0);
  check_sample("agentdojo.jsonl", "agentdojo", 0);
  check_sample("anthropic.json", "anthropic", 0);
  check_sample("anthropic_lines.jsonl", "anthropic", 0);
  check_sample("moatless_loop.json", "moatless", 0);
  check_sample("moatless_tree.json", "moatless", 0);
  check_sample("openhands.jsonl", "openhands", 0);
  check_sample("openhands_odd.jsonl", "openhands", 0);
  check_sample("openhands_log.json", "openhands", 0);
  check_sample("openai_log.jsonl", "openai", 0);
  check_sample("crafted.json", "who_and_when", 0);
  check_sample("generated.json", "who_and_when", 0);
  check_sample("hyperagent.txt", "hyperagent", 0);
  check_sample("owl.json", "owl_roleplay", 0);
  check_sample("relay.json", "relay", 0);
  check_sample("claude_inline.jsonl", "claude_code", 0);
  check_sample("claude_code.jsonl", "claude_code", 0);
  check_sample("codex.jsonl", "codex", 0);
  check_sample("codex_old.jsonl", "codex", 0);
  check_sample("gemini.json", "gemini", 0);
  check_sample("opencode.json", "opencode", 0);
  check_sample("run_state.json", "openai_agents", 0);
  check_sample("run_state_js.json", "openai_agents", 0);
  check_sample("langgraph.db", "langgraph", 0);
  check_sample("langgraph_python.db", "langgraph", 0);
  check_sample("otlp.json", "otlp", 0);
  check_sample("otlp_events.jsonl", "otlp", 0);
  return tap_done();
}
