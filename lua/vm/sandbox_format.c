/* sandbox_format.c - string.format: d i c x X o e E f F g G s %, two digits of width and precision,
 * no %p. */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "lua/vm/sandbox.h"

enum { SPEC_MAX = 16, NUMBER_MAX = 512 }; /* %.99f of 1e308 takes 409 */

/* One conversion, as "%-08.3f" without its letter. */
typedef struct {
  char text[SPEC_MAX];
  size_t len;
  bool left;
  int width, precision; /* precision -1: none */
} spec;

static int read_digits(const char **at) {
  int number = 0;
  for (int digits = 0; **at >= '0' && **at <= '9'; digits++) {
    if (digits == 2) return -1;
    number = number * 10 + (*(*at)++ - '0');
  }
  return number;
}

/* Leaves `*at` at the letter. */
static void read_spec(spec *out, lua_State *L, const char **at) {
  const char *begin = *at;
  size_t flags = strspn(*at, "-+ #0");
  *out = (spec){.precision = -1, .left = memchr(*at, '-', flags) != NULL};
  *at += flags;
  out->width = read_digits(at);
  if (**at == '.') {
    (*at)++;
    out->precision = read_digits(at);
    if (out->precision < 0) out->width = -1;
  }
  if (flags > 5 || out->width < 0)
    luaL_error(L, "string.format: width and precision have at most two digits");
  out->text[0] = '%';
  memcpy(out->text + 1, begin, (size_t)(*at - begin));
  out->len = 1 + (size_t)(*at - begin);
}

static void add_integer(luaL_Buffer *out, lua_State *L, spec *s, int arg, char letter) {
  long long number = luaL_checkinteger(L, arg);
  char format[SPEC_MAX + 4], text[NUMBER_MAX];
  snprintf(format, sizeof format, "%.*sll%c", (int)s->len, s->text, letter);
  int len = snprintf(text, sizeof text, format, number);
  luaL_addlstring(out, text, (size_t)len);
}

static void add_number(luaL_Buffer *out, lua_State *L, spec *s, int arg, char letter) {
  double number = luaL_checknumber(L, arg);
  char format[SPEC_MAX + 2], text[NUMBER_MAX];
  snprintf(format, sizeof format, "%.*s%c", (int)s->len, s->text, letter);
  int len = snprintf(text, sizeof text, format, number);
  luaL_addlstring(out, text, (size_t)len);
}

static void add_spaces(luaL_Buffer *out, size_t count) {
  while (count-- > 0) luaL_addchar(out, ' ');
}

static void add_text(luaL_Buffer *out, lua_State *L, spec *s, int arg) {
  size_t len;
  luaL_checkany(L, arg);
  ck_sandbox_push_text(L, arg);
  lua_replace(L, arg);
  const char *text = lua_tolstring(L, arg, &len);
  if (s->precision >= 0 && (size_t)s->precision < len)
    len = ck_utf8_cut(text, (size_t)s->precision);
  size_t pad = (size_t)s->width > len ? (size_t)s->width - len : 0;
  if (!s->left) add_spaces(out, pad);
  luaL_addlstring(out, text, len);
  if (s->left) add_spaces(out, pad);
}

static void add_conversion(luaL_Buffer *out, lua_State *L, spec *s, int arg, char letter) {
  if (letter == 's') {
    add_text(out, L, s, arg);
  } else if (letter == 'c') {
    luaL_addchar(out, (char)luaL_checkinteger(L, arg));
  } else if (letter != '\0' && strchr("dixXo", letter)) {
    add_integer(out, L, s, arg, letter);
  } else if (letter != '\0' && strchr("eEfFgG", letter)) {
    add_number(out, L, s, arg, letter);
  } else {
    luaL_error(L, "string.format: there is no conversion '%%%c'", letter ? letter : ' ');
  }
}

int ck_sandbox_format(lua_State *L) {
  size_t len;
  const char *format = luaL_checklstring(L, 1, &len);
  const char *end = format + len;
  int arg = 1;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (const char *at = format; at < end; at++) {
    if (*at != '%' || *++at == '%') {
      luaL_addchar(&out, *at);
      continue;
    }
    spec s;
    read_spec(&s, L, &at);
    add_conversion(&out, L, &s, ++arg, *at);
    if (luaL_bufflen(&out) > CK_SANDBOX_TEXT_MAX) {
      return luaL_error(L, "string.format: the result is longer than %d bytes",
                        CK_SANDBOX_TEXT_MAX);
    }
  }
  luaL_pushresult(&out);
  return 1;
}
