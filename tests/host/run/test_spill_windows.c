/* test_spill_windows.c - a text in windows, each masked by itself, is masked as the whole is,
 * whatever its parts and wherever its secrets lie. */
#include <string.h>

#include "core/host/run/spill_windows.h"
#include "tests/tap.h"

static const char secret[] = "horse-battery-7319-staple";
static ck_redactor *redactor;

typedef struct taken {
  ck_buffer masked;
  size_t windows, largest;
} taken;

static ck_status take(void *to, ck_bytes window, ck_error *err) {
  taken *self = to;
  self->windows++;
  if (window.len > self->largest) self->largest = window.len;
  return ck_redactor_apply_text(&self->masked, redactor, CK_SINK_EVENT, window, err);
}

/* Between secrets, `gap` bytes and now and then a line's end. */
static void make_text(ck_buffer *out, size_t len, unsigned gap, bool lines) {
  for (unsigned i = 0; out->len < len; i++) {
    ck_buffer_append(out, secret, sizeof secret - 1);
    for (unsigned n = 1 + i * 7919 % gap; n; n--) ck_buffer_append(out, "pad ", 4);
    if (lines && i % 97 == 0) ck_buffer_append(out, "\n", 1);
  }
}

static void check(size_t len, unsigned gap, bool lines, size_t part) {
  ck_error err = CK_ERROR_INIT;
  taken got = {0};
  ck_buffer text = {0}, whole = {0};
  ck_spill_windows windows = {.redactor = redactor, .visit = take, .to = &got};
  make_text(&text, len, gap, lines);
  tap_must(ck_redactor_apply_text(&whole, redactor, CK_SINK_EVENT, ck_buffer_bytes(&text), &err) ==
               CK_OK,
           "masked as a whole");
  ck_status status = CK_OK;
  for (size_t at = 0; status == CK_OK && at < text.len; at += part)
    status = ck_spill_windows_take(
        &windows, (ck_bytes){text.data + at, text.len - at < part ? text.len - at : part}, &err);
  if (status == CK_OK) status = ck_spill_windows_end(&windows, &err);
  tap_is_status(status, CK_OK, &err, "%zu bytes in %zu windows of at most %zu", text.len,
                got.windows, got.largest);
  tap_ok(ck_bytes_equal(ck_buffer_bytes(&got.masked), ck_buffer_bytes(&whole)),
         "masked as the whole is, in parts of %zu, gaps of %u%s", part, gap,
         lines ? ", lines" : "");
  tap_ok(got.largest < 3u << 20 && (len < 2u << 20 || got.windows > 1), "none is large");
  ck_spill_windows_clear(&windows);
  ck_buffer_clear(&got.masked);
  ck_buffer_clear(&text);
  ck_buffer_clear(&whole);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_redactor_new(&redactor, &err) == CK_OK &&
               ck_redactor_add_secret(redactor, "word", ck_bytes_text(secret), &err) == CK_OK,
           "a redactor");
  check(100, 3, false, 7);
  check(3 << 20, 2, false, 1 << 20);
  check(5 << 20, 5, false, 65536);
  check(5 << 20, 11, true, (1 << 20) - 3);
  ck_redactor_free(redactor);
  return tap_done();
}
