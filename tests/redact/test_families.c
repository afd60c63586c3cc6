/* test_families.c - each row of the tables of tokens finds the token that families.txt has for it,
 * wherever it stands, and no row is without one; words with the same beginning are left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redact/redact.h"
#include "core/redact/values.h"
#include "core/redact/values_table.h"
#include "tests/tap.h"

enum { LINE_MAX_BYTES = 2048, ROWS_MAX = CK_VALUES_MAX };

static ck_redactor *redactor;
static bool covered[ROWS_MAX];

typedef struct family {
  char line[LINE_MAX_BYTES];
  const char *kind, *front, *rest, *source;
} family;

/* "kind beginning rest source…" */
static bool split(family *out) {
  char *at = out->line;
  at[strcspn(at, "\n")] = '\0';
  const char **parts[] = {&out->kind, &out->front, &out->rest};
  for (size_t i = 0; i < 3; i++) {
    *parts[i] = at;
    if (!(at = strchr(at, ' '))) return false;
    *at++ = '\0';
  }
  out->source = at;
  return *at != '\0';
}

static bool is_masked(const family *f, const char *before, const char *after) {
  ck_buffer text = {0}, out = {0}, wanted = {0};
  ck_buffer_append_format(&text, "%s%s%s%s", before, f->front, f->rest, after);
  ck_buffer_append_format(&wanted, "%s[redacted:%s:", before, f->kind);
  tap_must(
      ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, ck_buffer_bytes(&text), NULL) == CK_OK,
      "a text passes");
  size_t tail = strlen(after);
  bool masked = strncmp(out.data, wanted.data, wanted.len) == 0 && !strstr(out.data, f->rest) &&
                out.len > tail && strcmp(out.data + out.len - tail, after) == 0;
  if (!masked) tap_diag("%s became %s", text.data, out.data);
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
  ck_buffer_clear(&wanted);
  return masked;
}

/* Clears `text`. */
static bool is_left(ck_buffer *text) {
  ck_buffer out = {0};
  tap_must(
      ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, ck_buffer_bytes(text), NULL) == CK_OK,
      "a text passes");
  bool left = ck_bytes_equal(ck_buffer_bytes(text), ck_buffer_bytes(&out));
  if (!left) tap_diag("%s became %s", text->data, out.data);
  ck_buffer_clear(text);
  ck_buffer_clear(&out);
  return left;
}

/* A word of letters behind the beginning is no token. */
static bool is_left_in_words(const family *f) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "see %sexample for more", f->front);
  return is_left(&text);
}

static void note_covered(const family *f) {
  for (size_t i = 0; ck_values_kind(i); i++)
    if (strcmp(ck_values_kind(i), f->kind) == 0 && strcmp(ck_values_front(i), f->front) == 0)
      covered[i] = true;
}

/* Characters of base64 with no end before or behind: a picture, not a token. */
static bool is_left_in_base64(const family *f) {
  ck_buffer text = {0};
  const char *base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (strlen(f->front) > 6 || f->front[strspn(f->front, base64)] ||
      f->rest[strspn(f->rest, base64)])
    return true;
  ck_buffer_append_format(&text, "iVBORw0KGgo/%s%s+AAAA", f->front, f->rest);
  return is_left(&text);
}

static void test_family(const family *f) {
  bool found = is_masked(f, "", "") && is_masked(f, "see ", " there") &&
               is_masked(f, "x = \"", "\",\n") && is_masked(f, "('", "')") &&
               is_masked(f, "https://h/?q=", "&b=1");
  tap_ok(found && is_left_in_words(f) && is_left_in_base64(f),
         "%s %s… (%s) is found, and its beginning alone is not", f->kind, f->front, f->source);
  note_covered(f);
}

static int test_file(void) {
  FILE *file = fopen("tests/redact/families.txt", "r");
  tap_must(file != NULL, "families.txt opens");
  family f;
  int count = 0;
  while (fgets(f.line, sizeof f.line, file)) {
    if (*f.line == '#') continue;
    tap_must(split(&f), "%s has four parts", f.kind);
    test_family(&f);
    count++;
  }
  fclose(file);
  return count;
}

/* Rows whose tokens are known by their surroundings (values_table.h) are those of test_values.c. */
static void test_all_covered(size_t contextual) {
  size_t missing = 0, rows = 0;
  for (; ck_values_kind(rows); rows++)
    if (rows >= contextual && !covered[rows]) {
      tap_diag("no token for %s %s", ck_values_kind(rows), ck_values_front(rows));
      missing++;
    }
  tap_ok(missing == 0, "each of %zu rows has its token", rows - contextual);
}

static size_t count_contextual(void) {
  size_t n = 0;
#define ROW(kind, front, pattern) n++;
  CK_VALUE_TABLE(ROW)
#undef ROW
  return n;
}

int main(void) {
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  int families = test_file();
  tap_ok(families >= 300, "%d families", families);
  test_all_covered(count_contextual());
  ck_redactor_free(redactor);
  return tap_done();
}
