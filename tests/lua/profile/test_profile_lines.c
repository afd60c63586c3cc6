/* test_profile_lines.c - the line of a key is found in any table that a profile's text returns. */
#include <stdlib.h>
#include <string.h>

#include "lua/profile/lines.h"
#include "tests/tap.h"

static const char text[] = "-- return { name = 1 }\n"                             /* 1 */
                           "local text = 'return { name = 2 }' --[==[ return {\n" /* 2 */
                           "  name = 3 } ]==] local more = [[\n"                  /* 3 */
                           "name = 4 ]]\n"                                        /* 4 */
                           "local function f(a, b) return a == b end\n"           /* 5 */
                           "return {\n"                                           /* 6 */
                           "  name = \"x, } \\\" name = 7\",\n"                   /* 7 */
                           "  [\"extends\"] = f(1, 2) and 'a' or 'b'; -- , } {\n" /* 8 */
                           "  constraints = { rounds = 1, -- rounds = 2\n"        /* 9 */
                           "    tokens = (function(a, b) return 1 end)(1, 2),\n"  /* 10 */
                           "    time_s = 1 },\n"                                  /* 11 */
                           "  policies = { 'a', { 'b', count = 1,\n"              /* 12 */
                           "    deep = { count = 2, list = { 1, 2 } } },\n"       /* 13 */
                           "    [[c]],\n"                                         /* 14 */
                           "    { 'd',\n"                                         /* 15 */
                           "      count = 3 } },\n"                               /* 16 */
                           "  agents = { ann = { constraints = {} },\n"           /* 17 */
                           "    bob = { constraints =\n"                          /* 18 */
                           "      { rounds = 7 } } },\n"                          /* 19 */
                           "}\n";

static void check(const char *path, int want) {
  tap_is_int(ck_profile_line(ck_bytes_text(text), path), want, "%s is in line %d", path, want);
}

static void test_table(void) {
  check("name", 7);
  check("extends", 8);
  check("constraints", 9);
  check("constraints.rounds", 9);
  check("constraints.tokens", 10);
  check("constraints.time_s", 11);
  check("policies.[1]", 12);
  check("policies.[2].count", 12);
  check("policies.[2].deep", 13);
  check("policies.[2].deep.list.[2]", 13);
  check("policies.[3]", 14);
  check("policies.[4]", 15);
  check("policies.[4].count", 16);
  check("agents.ann.constraints", 17);
  check("agents.bob", 18);
  check("agents.bob.constraints.rounds", 19);
  check("nowhere", 0);
  check("policies.[5]", 0);
  check("", 0);
}

static void check_text(const char *source, const char *path, int want) {
  tap_is_int(ck_profile_line(ck_bytes_text(source), path), want, "%s is in line %d", path, want);
}

static void test_statements(void) {
  const char *source = "local p = { name = 'x' }\n"
                       "p.constraints = {}\n"
                       "p.constraints.rounds = 1\n"
                       "p[\"compress\"] = 7\n"
                       "if p.tokens == 1 then p.tokens = 2 end\n"
                       "return p\n";
  check_text(source, "name", 1);
  check_text(source, "constraints", 2);
  check_text(source, "constraints.rounds", 3);
  check_text(source, "compress", 4);
  check_text(source, "constraints.tokens", 5);
}

/* Whatever the bytes are, and wherever they end. */
static void test_fragments(void) {
  bool fine = true;
  for (size_t len = 0; len < sizeof text; len++) {
    char *copy = malloc(len + 1);
    memcpy(copy, text, len);
    int line = ck_profile_line((ck_bytes){copy, len}, "agents.bob.constraints.rounds");
    fine &= line >= 0 && line <= 19;
    free(copy);
  }
  tap_ok(fine, "a text that is cut off anywhere is read to its end and no further");
  check_text("return { \"", "x", 0);
  check_text("return { [[", "x", 0);
  check_text("return { --[[", "x", 0);
  check_text("return {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{ x = 1", "x", 1);
}

int main(void) {
  test_table();
  test_statements();
  test_fragments();
  return tap_done();
}
