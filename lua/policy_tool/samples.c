/* samples.c - subjects for every hook: the usual, the empty and the extreme. */
#include <stddef.h>

#include "lua/policy_tool/subject.h"

static const char *const sample_checkpoint[] = {
    "{}",
    "{\"kind\":\"node_start\",\"node\":\"collect\",\"next\":{\"node\":\"collect\"}}",
    "{\"kind\":\"node_complete\",\"node\":\"collect\",\"latency_ms\":45000,\"since\":{\"ms\":45000,"
    "\"events\":9,\"cost_usd\":0.31,"
    "\"tokens\":9000,\"changed_keys\":4,\"changed_bytes\":2048,\"boundaries\":3},\"next\":{"
    "\"node\":\"analyse\"},\"checkpoint_cost_ms\":0.2}",
    "{\"kind\":\"edge_transition\",\"node\":\"analyse\",\"since\":{\"ms\":1,\"events\":1,"
    "\"boundaries\":2},\"next\":{\"node\":\"report\"}}",
    "{\"kind\":\"loop_iteration\",\"agent\":\"analyst\",\"since\":{\"ms\":900,\"events\":2,\"cost_"
    "usd\":0.002,\"tokens\":800,\"boundaries\":5,"
    "\"iterations\":5},\"budget\":{\"spent\":0.1,\"limit\":5}}",
    "{\"kind\":\"before_call\",\"agent\":\"analyst\",\"since\":{\"ms\":900,\"events\":3,"
    "\"cost_usd\":0.01,\"tokens\":900,\"boundaries\":2},\"next\":{\"tool\":\"send_mail\","
    "\"class\":\"once\"},\"calls\":[{\"tool\":\"search\",\"class\":\"pure\"},{\"tool\":"
    "\"send_mail\",\"class\":\"once\",\"id\":\"call_1\"},{\"tool\":\"note\"}]}",
    "{\"kind\":\"tool_round\",\"agent\":\"analyst\",\"depth\":1,\"latency_ms\":2500,\"since\":{"
    "\"ms\":2600,\"events\":5,\"cost_usd\":0.02,"
    "\"tokens\":4000,\"tool_calls\":2,"
    "\"changed_keys\":1,\"changed_bytes\":300},\"next\":{\"tool\":\"send_mail\","
    "\"class\":\"once\"},\"checkpoint_cost_ms\":0.15,\"budget\":{\"spent\":4.2,\"limit\":5}}",
    "{\"kind\":\"tool_round\",\"agent\":\"analyst\",\"latency_ms\":90,\"since\":{\"ms\":100,"
    "\"events\":4,\"tokens\":50},"
    "\"next\":{\"tool\":\"search\",\"class\":\"pure\"},\"random\":0.001}",
    "{\"kind\":\"round_complete\",\"since\":{\"ms\":61000,\"events\":40,\"cost_usd\":0.8,"
    "\"tokens\":60000,\"changed_keys\":12,"
    "\"changed_bytes\":90000,\"boundaries\":12,\"iterations\":4},\"random\":0.999}",
    "{\"kind\":\"step_complete\",\"node\":\"build\",\"latency_ms\":1000,\"since\":{\"ms\":1000,"
    "\"events\":3,\"changed_keys\":2,"
    "\"changed_bytes\":64},\"next\":{\"node\":\"deploy\",\"class\":\"reconcilable\"}}",
    "{\"kind\":\"safe_point\",\"node\":\"analyse\",\"since\":{\"ms\":300,\"events\":2}}",
    "{\"kind\":\"user_checkpoint\",\"since\":{\"ms\":12000,\"events\":6,\"cost_usd\":0.05,"
    "\"tokens\":2000}}",
    "{\"kind\":\"pause\",\"since\":{\"ms\":0,\"events\":1}}",
    "{\"kind\":\"failure\",\"node\":\"collect\",\"is_clean\":false,\"last_error\":\"timed "
    "out\",\"since\":{\"ms\":30000,\"events\":7,\"cost_usd\":0.4,\"tokens\":7000}}",
    "{\"kind\":\"edit\",\"since\":{\"changed_keys\":1,\"changed_bytes\":12}}",
    "{\"kind\":\"final\",\"since\":{\"ms\":500,\"events\":3,\"cost_usd\":0.01}}",
    "{\"kind\":\"tool_round\",\"seq\":900000,\"depth\":9,\"now\":4102444800000,\"latency_ms\":"
    "86400000,\"is_clean\":false,"
    "\"since\":{\"ms\":864000000,\"events\":900000,\"cost_usd\":9999.99,\"tokens\":900000000,"
    "\"changed_keys\":100000,"
    "\"changed_bytes\":10000000000,\"boundaries\":100000,\"iterations\":100000},\"checkpoint_cost_"
    "ms\":5000,"
    "\"budget\":{\"spent\":10001,\"limit\":10000},\"next\":{\"node\":\"x\",\"tool\":\"y\","
    "\"class\":\"idempotent\"}}",
    NULL};

static const char *const sample_prune[] = {
    "{\"checkpoints\":[]}", "{\"checkpoints\":[{}]}",
    "{\"checkpoints\":[{\"kind\":\"node_start\",\"node\":\"a\"},{\"is_clean\":false},{\"bytes\":"
    "5000000},{\"resumable\":false},"
    "{\"kind\":\"safe_point\",\"description\":\"mine\"},{\"kind\":\"pause\"}]}",
    "{\"now\":1767830400000,\"checkpoints\":[{\"created\":1767225600000},{\"created\":"
    "1767225660000},{\"created\":1767312000000},"
    "{\"created\":1767398400000},{\"created\":1767744000000},{\"created\":1767747600000},{"
    "\"created\":1767751200000},"
    "{\"created\":1767826800000},{\"created\":1767828600000},{\"created\":1767830000000},{"
    "\"created\":1767830100000},"
    "{\"created\":1767830200000},{\"created\":1767830300000},{\"created\":1767830390000},{"
    "\"created\":1767830399000}]}",
    NULL};

static const char *const sample_redact[] = {
    "{\"key\":\"memory.notes\",\"value\":{\"text\":\"nothing secret\",\"n\":[1,2,3]}}",
    "{\"key\":\"memory.api_key\",\"value\":\"sk-0000000000000000\"}",
    "{\"key\":\"scratch.analyst\",\"value\":[]}",
    "{\"key\":\"outputs.report\",\"value\":null}",
    "{\"kind\":\"outcome\",\"value\":{\"key\":\"main/start/tool/"
    "1\",\"status\":\"ok\",\"result\":{\"password\":\"hunter2\",\"rows\":[{\"a\":1}]}}}",
    "{\"kind\":\"message\",\"value\":{\"message\":{\"role\":\"user\",\"content\":\"hello\"}}}",
    "{\"kind\":\"intent\",\"agent\":\"analyst\",\"value\":{\"request\":{"
    "\"arguments\":{\"q\":\"x\"}}}}",
    "{\"kind\":\"delegation\",\"agent\":\"lead\",\"value\":{\"message\":\"look at 4111-1111\"}}",
    "{\"kind\":\"note\",\"agent\":\"analyst\",\"value\":{\"text\":\"done\"}}",
    NULL};

static const char *const sample_resume[] = {
    "{}",
    "{\"session\":{\"status\":\"paused\",\"reason\":\"user_requested\",\"cost_usd\":4.8,\"tokens\":"
    "100000,\"model_calls\":40,\"tool_calls\":55,"
    "\"active_ms\":2700000},\"checkpoint\":{\"kind\":\"pause\"}}",
    "{\"session\":{\"status\":\"failed\",\"reason\":\"it "
    "failed\",\"now\":1767830400000},\"checkpoint\":{\"is_clean\":false,\"node\":\"a\"}}",
    "{\"session\":{\"cost_usd\":4.2,\"utc_offset_s\":7200,\"flow_changed\":true,\"budget\":{"
    "\"spent\":4.2,\"limit\":5},\"host\":{\"now\":\"b\",\"was\":\"a\"},\"models\":[{\"agent\":"
    "\"analyst\",\"name\":\"default\",\"was\":\"m-1\",\"now\":\"m-2\"},{\"name\":\"other\","
    "\"now\":\"m-3\"}]},\"checkpoint\":{}}",
    "{\"session\":{\"status\":\"running\",\"profile\":\"graph\",\"flow\":\"/tmp/"
    "flow.lua\"},\"checkpoint\":{}}",
    NULL};

static const char *const sample_tail[] = {
    "{\"event\":{\"kind\":\"message\",\"agent\":\"analyst\",\"body\":{\"message\":{\"role\":"
    "\"user\",\"content\":\"hello\"}}},\"agent\":\"analyst\"}",
    "{\"event\":{\"kind\":\"outcome\",\"agent\":\"writer\",\"body\":{\"kind\":\"tool\",\"status\":"
    "\"ok\"}},\"agent\":\"analyst\"}",
    "{\"event\":{\"kind\":\"delegation\",\"agent\":\"lead\",\"body\":{\"target\":\"analyst\","
    "\"message\":\"go\"}},\"agent\":\"analyst\"}",
    "{\"event\":{\"kind\":\"note\"},\"agent\":\"nobody\"}", NULL};

static const char *const sample_on_failure[] = {
    "{}",
    "{\"node\":\"collect\",\"status\":\"CK_E_IO\",\"error\":\"529 overloaded\"}",
    "{\"attempt\":3,\"status\":\"CK_E_SECRET_MISSING\"}",
    "{\"kind\":\"model\",\"status\":\"CK_E_UNAVAILABLE\",\"try\":2,\"retry_after\":30000}",
    "{\"kind\":\"exec\",\"node\":\"build\",\"error\":\"make: exit status 2\"}",
    NULL};

static const char *const sample_in_doubt[] = {
    "{}",
    "{\"kind\":\"model\",\"class\":\"pure\",\"agent\":\"analyst\",\"request\":{\"model\":"
    "\"default\"}}",
    "{\"class\":\"idempotent\",\"request\":{\"name\":\"search\",\"arguments\":{\"q\":\"x\"}},"
    "\"attempt\":2}",
    "{\"class\":\"once\",\"request\":{\"name\":\"send_mail\",\"arguments\":{}}}",
    "{\"kind\":\"exec\",\"class\":\"once\",\"request\":{\"argv\":[\"make\",\"deploy\"]}}",
    "{\"kind\":\"agent\",\"class\":\"once\",\"agent\":\"coder\",\"request\":{\"prompt\":\"go\"}}",
    "{\"kind\":\"sleep\",\"class\":\"pure\",\"request\":{\"until_ms\":1767830400000}}",
    "{\"kind\":\"ask\",\"class\":\"idempotent\",\"request\":{\"question\":\"Go on?\"}}",
    "{\"kind\":\"read\",\"class\":\"pure\",\"request\":{\"path\":\"notes.txt\"}}",
    NULL};

static const char *const sample_permit[] = {
    "{}",
    "{\"effect\":{\"kind\":\"model\",\"class\":\"pure\",\"agent\":\"analyst\",\"request\":{"
    "\"model\":\"default\"},\"reserve_usd\":3.5},\"at\":{\"agent\":\"analyst\",\"budget\":{"
    "\"spent\":4.2,\"limit\":5}}}",
    "{\"effect\":{\"class\":\"once\",\"tool\":\"send_mail\",\"arguments\":{\"to\":\"ann\"}},"
    "\"at\":{\"next\":{\"tool\":\"send_mail\",\"class\":\"once\"}}}",
    "{\"effect\":{\"kind\":\"exec\",\"request\":{\"argv\":[\"make\",\"deploy\"]}},\"at\":{"
    "\"node\":\"deploy\",\"is_clean\":false}}",
    NULL};

static const char *const sample_migrate[] = {
    "{}", "{\"document\":{\"memory.x\":1,\"outputs.y\":[1,2]},\"from\":1,\"to\":2}", NULL};

static const char *const *const samples[POLICY_HOOK_COUNT] = {
#define X(name, ...) sample_##name,
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

const char *ck_policy_subject_sample(policy_hook hook, size_t index) {
  return samples[hook][index];
}
