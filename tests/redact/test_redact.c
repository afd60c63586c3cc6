/* test_redact.c - without rules everything passes as it is, at every sink. */
#include "core/redact/redact.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

int main(void) {
  ck_redactor *redactor = NULL;
  tap_is_status(ck_redactor_new(&redactor, NULL), CK_OK, NULL, "a redactor is made");
  ck_value *value = NULL, *kept = NULL;
  tap_must(ck_value_new(&value, ck_bytes_text("{\"api_key\" : \"sk-123\"}"), NULL) == CK_OK, "a value");
  ck_buffer text = {0};
  for (int sink = CK_SINK_STATE; sink <= CK_SINK_EXPORT; sink++) {
    const char *key = sink == CK_SINK_EVENT ? NULL : "memory.api_key";
    tap_is_status(ck_redactor_apply(&kept, redactor, (ck_sink)sink, key, value, NULL), CK_OK, NULL, "sink %d answers",
                  sink);
    tap_ok(kept == value, "sink %d keeps the same value, shared", sink);
    ck_value_free(kept);
    ck_buffer_reset(&text);
    ck_buffer_append_text(&text, "before: ");
    ck_bytes odd = {"a\x1b\n\0b", 5};
    tap_is_status(ck_redactor_apply_text(&text, redactor, (ck_sink)sink, odd, NULL), CK_OK, NULL, "sink %d takes text",
                  sink);
    tap_is_bytes(ck_buffer_bytes(&text), (ck_bytes){"before: a\x1b\n\0b", 13}, "sink %d appends it unchanged", sink);
  }
  tap_is_status(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, NULL, NULL), CK_OK, NULL, "no value");
  tap_ok(kept == NULL, "stays none");
  text.failed = true;
  tap_is_status(ck_redactor_apply_text(&text, redactor, CK_SINK_LOG, ck_bytes_text("x"), NULL), CK_E_NO_MEMORY, NULL,
                "a buffer that failed is not passed off as whole");
  ck_buffer_clear(&text);
  ck_value_free(value);
  ck_redactor_free(redactor);
  ck_redactor_free(NULL);
  return tap_done();
}
