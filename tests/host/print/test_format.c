/* test_format.c - figures and columns for people. */
#include <string.h>

#include "core/runtime/session/tail/describe.h"
#include "core/host/print/format.h"
#include "tests/tap.h"

static void is_shown(void (*format)(ck_buffer *out, int64_t number), int64_t number,
                     const char *want) {
  ck_buffer text = {0};
  format(&text, number);
  tap_is_text(text.data, want, "%s", want);
  ck_buffer_clear(&text);
}

static void shows_figures(void) {
  is_shown(ck_format_bytes, 0, "0 B");
  is_shown(ck_format_bytes, 1023, "1023 B");
  is_shown(ck_format_bytes, 1024, "1.0 KiB");
  is_shown(ck_format_bytes, 1048575, "1.0 MiB");
  is_shown(ck_format_bytes, INT64_MAX, "8192.0 PiB");
  is_shown(ck_format_duration, 999, "999 us");
  is_shown(ck_format_duration, 1200, "1.2 ms");
  is_shown(ck_format_duration, 999949, "999.9 ms");
  is_shown(ck_format_duration, 999950, "1.0 s");
  is_shown(ck_format_duration, 59999999, "60.0 s");
  is_shown(ck_format_duration, 125000000, "2 min 5 s");
  is_shown(ck_format_duration, 3725000000, "1 h 2 min");
  is_shown(ck_format_money, 0, "$0.00");
  is_shown(ck_format_money, 1250000, "$1.25");
  is_shown(ck_format_money, 123, "$0.000123");
  is_shown(ck_format_money, -1500000, "-$1.50");
  is_shown(ck_format_money, INT64_MIN, "-$9223372036854.775808");
  ck_buffer many = {0};
  ck_format_of(&many, 1, "event");
  ck_buffer_append_text(&many, ", ");
  ck_format_of(&many, 12345, "session");
  tap_is_bytes(ck_buffer_bytes(&many), ck_bytes_text("1 event, 12,345 sessions"),
               "one is one, and the others are many");
  ck_buffer_clear(&many);
  is_shown(ck_format_count, 0, "0");
  is_shown(ck_format_count, 999, "999");
  is_shown(ck_format_count, 1234567, "1,234,567");
  is_shown(ck_format_count, -123456, "-123,456");
  is_shown(ck_format_time, 0, "1970-01-01 00:00:00");
}

static void measures_columns(void) {
  tap_is_int((int64_t)ck_format_width(ck_bytes_text("abc")), 3,
             "Latin letters are one column wide");
  tap_is_int((int64_t)ck_format_width(ck_bytes_text("日本")), 4, "East Asian ones two");
  tap_is_int((int64_t)ck_format_width(ck_bytes_text("e\xcc\x81")), 1, "a combining accent none");
  tap_is_int((int64_t)ck_format_width(ck_bytes_text("\xff\xfe")), 2, "stray bytes one each");
  tap_is_int((int64_t)ck_format_cut(ck_bytes_text("日本"), 3), 3,
             "a wide letter is not cut in half");
  tap_is_int((int64_t)ck_format_cut(ck_bytes_text("abc"), 0), 0, "no room, no letter");
}

static void is_line(const char *text, size_t columns, const char *want) {
  ck_bytes all = ck_bytes_text(text);
  size_t len = ck_format_line(all, columns);
  tap_is_bytes((ck_bytes){all.data, len}, ck_bytes_text(want), "%zu columns of: %s", columns, text);
}

static void breaks_lines(void) {
  is_line("", 5, "");
  is_line("one two", 7, "one two");
  is_line("one two", 6, "one");
  is_line("one  two", 5, "one");
  is_line("twelve", 4, "twel");
  is_line("twelve", 0, "twelve");
  is_line("日本語", 3, "日");
  is_line("日本語", 1, "日本語");
  is_line("a/long/path", 8, "a/long/");
  is_line("a/longerpath", 8, "a/longer");
  is_line("see 'ckrun resume x' now", 10, "see");
  is_line("'ckrun resume x' now", 10, "'ckrun resume x'");
  is_line("('ckrun resume x') now", 10, "('ckrun resume x')");
  is_line("'ckrun resume x now", 10, "'ckrun");
  is_line("`ckrun run` and", 12, "`ckrun run`");
}

static void is_described(ck_event_kind kind, const char *body, const char *want) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = NULL;
  ck_buffer text = {0};
  tap_must(ck_value_new(&value, ck_bytes_text(body), &err) == CK_OK, "%s", err.text);
  ck_describe_event(&text, &(ck_event){.kind = kind, .scope = "main", .body = value});
  tap_is_text(text.data, want, "%s", want);
  ck_buffer_clear(&text);
  ck_value_free(value);
}

static void describes_events(void) {
  is_described(CK_EVENT_MESSAGE,
               "{\"message\":{\"role\":\"user\",\"content\":\"hi\\n\\u001b[31m\"}}",
               "user: hi\n\033[31m");
  is_described(CK_EVENT_MESSAGE,
               "{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{"
               "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}",
               "assistant: [calls f {}]");
  is_described(CK_EVENT_NOTE, "{\"a\":1,\"b\":\"x\"}", "a=1  b=x");
  is_described(CK_EVENT_NOTE, "{}", NULL);
  is_described(CK_EVENT_OUTCOME,
               "{\"key\":\"k\",\"status\":\"ok\",\"message\":{\"role\":\"tool\",\"name\":\"f\","
               "\"content\":\"\"}}",
               "k  ok  tool f: ");
  is_described(CK_EVENT_OUTCOME,
               "{\"key\":\"k\",\"status\":\"unknown\",\"cost\":20000,\"reserved\":20000}",
               "k  unknown: may have happened  reserved $0.02");
  is_described(CK_EVENT_OUTCOME,
               "{\"key\":\"k\",\"status\":\"failed\",\"via\":\"lost\",\"cost\":-1,\"reserved\":0}",
               "k  failed");
  is_described(CK_EVENT_OUTCOME,
               "{\"key\":\"k\",\"status\":\"failed\",\"via\":\"lost\",\"cost\":-1,\"reserved\":-1}",
               "k  failed");
}

int main(void) {
  shows_figures();
  measures_columns();
  breaks_lines();
  describes_events();
  return tap_done();
}
