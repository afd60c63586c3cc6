/* report_page.c - goes through index.html, and puts other lines where it loads something. */
#include "core/host/ui/report_page.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/host/ui/page.h"

enum { NONCE_SIZE = 33 };

typedef struct filling {
  ck_buffer *out;
  ck_bytes recorded;
  char nonce[NONCE_SIZE]; /* lets its own script and style work, and nothing else */
} filling;

static void make_nonce(char out[NONCE_SIZE]) {
  uint8_t random[(NONCE_SIZE - 1) / 2];
  ck_random_bytes(random, sizeof random);
  for (size_t i = 0; i < sizeof random; i++) snprintf(out + 2 * i, 3, "%02x", random[i]);
}

static void put_policy(const filling *self) {
  static const char head[] = "<meta charset=\"utf-8\">\n<meta http-equiv=";
  ck_buffer_append_format(
      self->out,
      "%s\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-%s' blob:; "
      "style-src 'nonce-%s'; base-uri 'none'; form-action 'none'; "
      "require-trusted-types-for 'script'\">\n",
      head, self->nonce, self->nonce);
}

static void put_nothing(const filling *self) { (void)self; }

static void put_file(const filling *self, const char *tag, const char *path) {
  ck_buffer_append_format(self->out, "<%s nonce=\"%s\">", tag, self->nonce);
  ck_buffer_append_bytes(self->out, ck_ui_page_get(path).text);
  ck_buffer_append_format(self->out, "</%s>\n", tag);
}

static void put_style(const filling *self) { put_file(self, "style", "/style.css"); }

/* Its modules lie there as text: report.js gives them addresses. */
static void put_modules(const filling *self) {
  ck_ui_module module = {0};
  while (ck_ui_page_next_module(&module)) {
    ck_buffer_append_format(self->out, "<script type=\"text/plain\" data-module=\"%s\">",
                            module.name);
    ck_buffer_append_bytes(self->out, module.text);
    ck_buffer_append_text(self->out, "</script>\n");
  }
}

static void put_scripts(const filling *self) {
  ck_buffer_append_text(self->out, "<script type=\"application/json\" id=\"recorded\">");
  ck_buffer_append_bytes(self->out, self->recorded);
  ck_buffer_append_text(self->out, "</script>\n");
  put_modules(self);
  put_file(self, "script", "/report.js");
  ck_buffer_append_text(self->out, "</body>\n");
}

/* What stands in index.html, in this order, and what comes in its place. */
static const struct {
  const char *line;
  void (*put)(const filling *self);
} places[] = {{"<meta charset=\"utf-8\">\n", put_policy},
              {"<link rel=\"icon\" href=\"/icon.svg\">\n", put_nothing},
              {"<link rel=\"stylesheet\" href=\"/style.css\">\n", put_style},
              {"<script type=\"module\" src=\"/app.js\"></script>\n", put_nothing},
              {"</body>\n", put_scripts}};

ck_status ck_ui_report_page_write(ck_buffer *out, ck_bytes recorded, ck_error *err) {
  filling self = {.out = out, .recorded = recorded};
  ck_bytes text = ck_ui_page_get("/").text;
  make_nonce(self.nonce);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    size_t len = strlen(places[i].line);
    const char *found = memmem(text.data, text.len, places[i].line, len);
    if (!found)
      return ck_error_set(err, CK_E_UNAVAILABLE, "the page has no line %s", places[i].line);
    ck_buffer_append(out, text.data, (size_t)(found - text.data));
    places[i].put(&self);
    text = (ck_bytes){found + len, text.len - (size_t)(found - text.data) - len};
  }
  ck_buffer_append_bytes(out, text);
  return ck_buffer_check(out, err);
}
