/* encodings.c - each function appends a secret in one encoding. */
#include "tests/redact/encodings.h"

#include <string.h>

#include "core/base/json.h"

static void raw(ck_buffer *out, ck_bytes s) { ck_buffer_append_bytes(out, s); }

void encode_json_string(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  ck_json_append_string(&text, s);
  ck_buffer_append(out, text.data + 1, text.len - 2);
  ck_buffer_clear(&text);
}

void encode_json_slashes(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  encode_json_string(&text, s);
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '/') ck_buffer_append_char(out, '\\');
    ck_buffer_append_char(out, text.data[i]);
  }
  ck_buffer_clear(&text);
}

/* Every character as \u00XX, the ASCII ones in capitals and small letters by turns. */
void encode_json_unicode(ck_buffer *out, ck_bytes s) {
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c == 0xc3)
      ck_buffer_append_format(out, "\\u00%02X", 0xc0 + (unsigned char)s.data[++i] - 0x80);
    else
      ck_buffer_append_format(out, i % 2 ? "\\u00%02x" : "\\u00%02X", c);
  }
}

void encode_json_twice(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  encode_json_string(&text, s);
  encode_json_string(out, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void json_thrice_unicode(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  encode_json_unicode(&text, s);
  encode_json_twice(out, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void percent(ck_buffer *out, ck_bytes s, const char *format, bool all) {
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    bool plain =
        (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || strchr("-_.~", c);
    if (plain && !all)
      ck_buffer_append_char(out, (char)c);
    else
      ck_buffer_append_format(out, format[0] == 'l' ? "%%%02x" : "%%%02X", c);
  }
}
static void percent_upper(ck_buffer *out, ck_bytes s) { percent(out, s, "u", false); }
static void percent_lower(ck_buffer *out, ck_bytes s) { percent(out, s, "l", false); }
static void percent_all(ck_buffer *out, ck_bytes s) { percent(out, s, "u", true); }
static void percent_twice(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  percent_upper(&text, s);
  percent_upper(out, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}
static void form(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  percent_upper(&text, s);
  for (size_t i = 0; i < text.len; i++) {
    bool space = text.len - i >= 3 && memcmp(text.data + i, "%20", 3) == 0;
    ck_buffer_append_char(out, space ? '+' : text.data[i]);
    i += space ? 2 : 0;
  }
  ck_buffer_clear(&text);
}

static void hex(ck_buffer *out, ck_bytes s) {
  for (size_t i = 0; i < s.len; i++) ck_buffer_append_format(out, "%02x", (unsigned char)s.data[i]);
}
static void hex_upper(ck_buffer *out, ck_bytes s) {
  for (size_t i = 0; i < s.len; i++) ck_buffer_append_format(out, "%02X", (unsigned char)s.data[i]);
}

/* Of something larger: `before` bytes in front, two behind; `wrap`: a line break after so many
 * characters. */
static void base64(ck_buffer *out, ck_bytes s, size_t before, const char *last, size_t wrap) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  ck_buffer all = {0};
  ck_buffer_append(&all, "u:x", before);
  ck_buffer_append_bytes(&all, s);
  ck_buffer_append_text(&all, "@h");
  for (size_t bit = 0, n = 0; bit < all.len * 8; bit += 6, n++) {
    size_t byte = bit / 8;
    unsigned pair = (unsigned)(unsigned char)all.data[byte] << 8 |
                    (byte + 1 < all.len ? (unsigned char)all.data[byte + 1] : 0);
    unsigned value = pair >> (10 - bit % 8) & 63;
    if (wrap && n && n % wrap == 0) ck_buffer_append_char(out, '\n');
    ck_buffer_append_char(out, value < 62 ? digits[value] : last[value - 62]);
  }
  ck_buffer_clear(&all);
}
static void base64_0(ck_buffer *out, ck_bytes s) { base64(out, s, 0, "+/", 0); }
static void base64_1(ck_buffer *out, ck_bytes s) { base64(out, s, 1, "+/", 0); }
static void base64_2(ck_buffer *out, ck_bytes s) { base64(out, s, 2, "+/", 0); }
static void base64_url_0(ck_buffer *out, ck_bytes s) { base64(out, s, 0, "-_", 0); }
static void base64_url_1(ck_buffer *out, ck_bytes s) { base64(out, s, 1, "-_", 0); }
static void base64_url_2(ck_buffer *out, ck_bytes s) { base64(out, s, 2, "-_", 0); }
static void base64_lines(ck_buffer *out, ck_bytes s) { base64(out, s, 1, "+/", 19); }
static void base64_percent(ck_buffer *out, ck_bytes s) {
  ck_buffer text = {0};
  base64_2(&text, s);
  percent_upper(out, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void each(ck_buffer *out, ck_bytes s, const char *format) {
  for (size_t i = 0; i < s.len; i++)
    ck_buffer_append_format(out, format, (unsigned)(unsigned char)s.data[i]);
}
static void bytes_hex(ck_buffer *out, ck_bytes s) { each(out, s, "\\x%02x"); }
static void bytes_octal(ck_buffer *out, ck_bytes s) { each(out, s, "\\%03o"); }
static void colons(ck_buffer *out, ck_bytes s) {
  for (size_t i = 0; i < s.len; i++)
    ck_buffer_append_format(out, i ? ":%02X" : "%02X", (unsigned)(unsigned char)s.data[i]);
}

/* A character of two bytes is one entity. */
static void entities(ck_buffer *out, ck_bytes s) {
  static const char *const formats[] = {"&#%u;", "&#x%x;", "&#X%X;"};
  for (size_t i = 0; i < s.len; i++) {
    unsigned c = (unsigned char)s.data[i];
    if (c == 0xc3) c = 0xc0 + (unsigned)(unsigned char)s.data[++i] - 0x80;
    ck_buffer_append_format(out, formats[i % 3], c);
  }
}
static void markup(ck_buffer *out, ck_bytes s) {
  for (size_t i = 0; i < s.len; i++)
    if (s.data[i] == '"')
      ck_buffer_append_text(out, "&quot;");
    else
      ck_buffer_append_char(out, s.data[i]);
}

static void between(ck_buffer *out, ck_bytes s, const char *text) {
  for (size_t i = 0; i < s.len; i++) {
    ck_buffer_append_char(out, s.data[i]);
    if ((unsigned char)s.data[i] < 0x80) ck_buffer_append_text(out, text);
  }
}
static void widthless(ck_buffer *out, ck_bytes s) { between(out, s, "\xe2\x80\x8b\xc2\xad"); }
static void coloured(ck_buffer *out, ck_bytes s) { between(out, s, "\x1b[1;31m\x1b[0m"); }

static void base32(ck_buffer *out, ck_bytes s, const char *digits) {
  ck_buffer all = {0};
  ck_buffer_append_text(&all, "ab");
  ck_buffer_append_bytes(&all, s);
  ck_buffer_append_text(&all, "!end");
  for (size_t bit = 0; bit < all.len * 8; bit += 5) {
    size_t byte = bit / 8;
    unsigned pair = (unsigned)(unsigned char)all.data[byte] << 8 |
                    (byte + 1 < all.len ? (unsigned char)all.data[byte + 1] : 0);
    ck_buffer_append_char(out, digits[pair >> (11 - bit % 8) & 31]);
  }
  ck_buffer_clear(&all);
}
static void base32_capitals(ck_buffer *out, ck_bytes s) {
  base32(out, s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
}
static void base32_small(ck_buffer *out, ck_bytes s) {
  base32(out, s, "abcdefghijklmnopqrstuvwxyz234567");
}

static void base64_of_base64(ck_buffer *out, ck_bytes s, size_t inner, size_t outer,
                             const char *ends) {
  ck_buffer once = {0};
  base64(&once, s, inner, ends, 0);
  base64(out, ck_buffer_bytes(&once), outer, "+/", 0);
  ck_buffer_clear(&once);
}
static void base64_twice(ck_buffer *out, ck_bytes s) { base64_of_base64(out, s, 0, 0, "+/"); }
static void base64_twice_behind(ck_buffer *out, ck_bytes s) {
  base64_of_base64(out, s, 1, 2, "+/");
}
static void base64_of_url(ck_buffer *out, ck_bytes s) { base64_of_base64(out, s, 0, 0, "-_"); }
static void base64_of_url_behind(ck_buffer *out, ck_bytes s) {
  base64_of_base64(out, s, 2, 1, "-_");
}

const encoding encodings[ENCODINGS] = {
    {"raw", raw},
    {"JSON", encode_json_string},
    {"JSON with \\/", encode_json_slashes},
    {"JSON in \\u00XX", encode_json_unicode},
    {"JSON twice", encode_json_twice},
    {"JSON thrice in \\u00XX", json_thrice_unicode},
    {"percent", percent_upper},
    {"percent, small letters", percent_lower},
    {"percent, every byte", percent_all},
    {"percent twice", percent_twice},
    {"form", form},
    {"hex", hex},
    {"hex capitals", hex_upper},
    {"base64", base64_0},
    {"base64 behind one byte", base64_1},
    {"base64 behind two", base64_2},
    {"base64url", base64_url_0},
    {"base64url behind one byte", base64_url_1},
    {"base64url behind two", base64_url_2},
    {"base64 in lines", base64_lines},
    {"base64 in a URL", base64_percent},
    {"base64 twice", base64_twice},
    {"base64 behind one byte in base64 behind two", base64_twice_behind},
    {"base64 of base64url", base64_of_url},
    {"base64url behind two bytes in base64 behind one", base64_of_url_behind},
    {"base32", base32_capitals},
    {"base32, small letters", base32_small},
    {"hex with colons", colons},
    {"\\xHH", bytes_hex},
    {"octal", bytes_octal},
    {"entities", entities},
    {"entities of markup", markup},
    {"with characters without width", widthless},
    {"with colours of a terminal", coloured},
};
