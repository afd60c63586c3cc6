/* bench_redact.c - what passing the choke point costs, in bytes a second. */
#include <stdio.h>
#include <string.h>

#include "core/redact/redact.h"
#include "tests/bench/bench.h"

enum { MEMBERS = 2600, ROUNDS = 41 };

/* About 1 MB of JSON such as tools return it: short members, some text, nothing that is secret. */
static ck_value *make_document(void) {
  ck_buffer json = {0};
  ck_error err;
  ck_value *value;
  ck_buffer_append_char(&json, '[');
  for (unsigned i = 0; i < MEMBERS; i++) {
    ck_value *prose = bench_prose(220, i);
    ck_buffer_append_format(
        &json,
        "%s{\"id\":\"row_%u\",\"author\":\"agent "
        "%u\",\"token_count\":%u,\"max_tokens\":4096,\"path\":\"/src/part%u/file.c\",\"text\":",
        i ? "," : "", i, i % 8, i * 7, i % 40);
    ck_buffer_append_bytes(&json, ck_value_bytes(prose));
    ck_buffer_append_text(&json, ",\"ok\":true,\"size\":[1,2,3.5,null]}");
    ck_value_free(prose);
  }
  ck_buffer_append_char(&json, ']');
  if (ck_value_from(&value, &json, &err) != CK_OK) bench_die("document: %s", err.text);
  ck_buffer_clear(&json);
  return value;
}

void bench_redact(void) {
  double samples[ROUNDS];
  ck_redactor *redactor;
  ck_error err;
  ck_value *document = make_document();
  size_t bytes = ck_value_bytes(document).len;
  if (ck_redactor_new(&redactor, &err) != CK_OK) bench_die("redactor: %s", err.text);
  for (int i = 0; i < ROUNDS; i++) {
    ck_value *kept;
    double begun = bench_now_us();
    if (ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, document, &err) != CK_OK)
      bench_die("redact: %s", err.text);
    samples[i] = bench_now_us() - begun;
    if (!ck_bytes_equal(ck_value_bytes(kept), ck_value_bytes(document)))
      bench_die("redact: a false alarm");
    ck_value_free(kept);
  }
  bench_add((figure){.name = "redaction by all rules of 1 MB of JSON",
                     .unit = "MB/s",
                     .value = (double)bytes / bench_percentile(samples, ROUNDS, 50),
                     .target = 300,
                     .at_least = true,
                     .compared = true});
  ck_redactor_free(redactor);
  ck_value_free(document);
}
