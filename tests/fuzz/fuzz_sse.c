/* fuzz_sse.c - server-sent events: however the bytes are cut into chunks, the events are those that
 * a plain reader of the whole finds. The first byte says how they are cut. */
#include <string.h>

#include "core/effect/http/sse.h"
#include "tests/fuzz/fuzz.h"

static ck_status note(void *to, ck_bytes event, ck_bytes data, ck_error *err) {
  (void)err;
  ck_buffer_append_format(to, "%zu:", event.len);
  ck_buffer_append_bytes(to, event);
  ck_buffer_append_format(to, " %zu:", data.len);
  ck_buffer_append_bytes(to, data);
  return CK_OK;
}

static void feed(ck_buffer *out, ck_bytes text, size_t chunk) {
  ck_sse sse = {.take = note, .to = out};
  ck_error err = CK_ERROR_INIT;
  for (unsigned n = 0; text.len > 0; n++) {
    ck_bytes part = fuzz_take(&text, chunk ? 1 + n * chunk % 7 : text.len);
    fuzz_must(ck_sse_feed(&sse, part, &err) == CK_OK, "a chunk is taken: %s", err.text);
  }
  ck_sse_clear(&sse);
}

/* ---- the plain reader: WHATWG HTML, section 9.2.6 ---- */

static bool begins(ck_bytes line, const char *field, ck_bytes *value) {
  size_t len = strlen(field);
  if (line.len < len || memcmp(line.data, field, len) != 0) return false;
  if (line.len > len && line.data[len] != ':') return false;
  fuzz_take(&line, len + 1);
  if (line.len > 0 && *line.data == ' ') fuzz_take(&line, 1);
  *value = line;
  return true;
}

/* Without its end: \r\n, \n or \r. False: the last line has none. */
static bool take_line(ck_bytes *line, ck_bytes *from) {
  size_t len = 0;
  while (len < from->len && from->data[len] != '\n' && from->data[len] != '\r') len++;
  if (len == from->len) return false;
  *line = fuzz_take(from, len);
  bool pair = from->len > 1 && memcmp(from->data, "\r\n", 2) == 0;
  fuzz_take(from, pair ? 2 : 1);
  return true;
}

static void read_plainly(ck_buffer *out, ck_bytes text) {
  ck_buffer data = {0};
  ck_bytes line, value, event = {0};
  if (text.len >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0) fuzz_take(&text, 3);
  while (take_line(&line, &text)) {
    if (line.len == 0) {
      if (data.len > 0) note(out, event, (ck_bytes){data.data, data.len - 1}, NULL);
      ck_buffer_reset(&data);
      event = (ck_bytes){0};
    } else if (begins(line, "data", &value)) {
      ck_buffer_append_bytes(&data, value);
      ck_buffer_append_char(&data, '\n');
    } else if (begins(line, "event", &value)) {
      event = value;
    }
  }
  ck_buffer_clear(&data);
}

void fuzz_sse(ck_bytes input) {
  ck_buffer want = {0}, whole = {0}, cut = {0};
  unsigned chunk = fuzz_byte(&input);
  read_plainly(&want, input);
  feed(&whole, input, 0);
  feed(&cut, input, 1 + chunk);
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&whole), ck_buffer_bytes(&want)),
            "the events are those of the plain reader");
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&cut), ck_buffer_bytes(&want)),
            "chunks change no event");
  ck_buffer_clear(&want);
  ck_buffer_clear(&whole);
  ck_buffer_clear(&cut);
}
