/* word_samples.c - a subject for each word of the options. */
#include "lua/policy_tool/word_samples.h"

#include <string.h>

typedef struct making {
  ck_buffer *out;
  policy_hook hook;
  size_t count;
} making;

/* By hook; each %.*s is the word, in its quotes. NULL: words say nothing to it. */
static const char *const forms[POLICY_HOOK_COUNT] = {
    [POLICY_checkpoint] = "{\"kind\":\"before_call\",\"agent\":%1$.*2$s,\"node\":%1$.*2$s,"
                          "\"next\":{\"tool\":%1$.*2$s,"
                          "\"class\":\"once\"},\"calls\":[{\"tool\":%1$.*2$s,\"class\":\"once\"}],"
                          "\"tools\":[{\"tool\":%1$.*2$s,\"class\":\"once\"}]}",
    [POLICY_redact] = "{\"kind\":\"message\",\"agent\":%1$.*2$s,\"value\":{\"message\":{"
                      "\"role\":\"user\",\"content\":%1$.*2$s}}}",
    [POLICY_tail] = "{\"event\":{\"kind\":\"message\",\"agent\":%1$.*2$s,\"body\":{\"message\":{"
                    "\"role\":\"user\",\"content\":%1$.*2$s}}},\"agent\":%1$.*2$s}",
    [POLICY_on_failure] = "{\"tool\":%1$.*2$s,\"node\":%1$.*2$s,\"agent\":%1$.*2$s,"
                          "\"status\":\"CK_E_UNAVAILABLE\",\"error\":%1$.*2$s}",
    [POLICY_in_doubt] = "{\"tool\":%1$.*2$s,\"agent\":%1$.*2$s,\"arguments\":{\"q\":%1$.*2$s}}",
    [POLICY_permit] = "{\"effect\":{\"tool\":%1$.*2$s,\"agent\":%1$.*2$s,\"untrusted\":[%1$.*2$s],"
                      "\"arguments\":{\"q\":%1$.*2$s}},\"at\":{\"next\":{\"tool\":%1$.*2$s}}}",
};

static void take_word(making *self, ck_bytes word) {
  if (self->count == WORD_SAMPLES_MAX || ck_json_type_of(word) != CK_JSON_STRING) return;
  if (word.len <= 2 || word.len > 80) return;
  self->count++;
  ck_buffer_append_format(self->out, forms[self->hook], word.data, (int)word.len);
  ck_buffer_append_char(self->out, '\0');
}

static void take_option(making *self, ck_bytes value) {
  ck_json_type type = ck_json_type_of(value);
  take_word(self, value);
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) return;
  for (ck_json_iterator it = ck_json_iterate(value); ck_json_next(&it);)
    take_word(self, type == CK_JSON_OBJECT ? it.name : it.value);
}

ck_status ck_word_samples_make(ck_buffer *out, policy_hook hook, loaded_policy *policy,
                               ck_error *err) {
  making self = {.out = out, .hook = hook};
  ck_value *options = NULL;
  if (!forms[hook]) return CK_OK;
  ck_status status = ck_policy_get_options(&options, policy, err);
  if (status != CK_OK) return status;
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(options)); ck_json_next(&it);)
    take_option(&self, it.value);
  ck_value_free(options);
  return ck_buffer_check(out, err);
}
