/* editor.c - finds the annotations beside the program, and writes .luarc.json. */
#include "core/host/print/editor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/host/print/write_file.h"

static const char settings_file[] = ".luarc.json";

/* From the program's folder: as installed (PREFIX/bin), and as built (build, build/asan). */
static const char *const places[] = {"../share/ckrun/lua", "../lua", "../../lua", NULL};

/* The folder with ck/meta.lua in it; false: there is none. */
static bool find_annotations(char out[PATH_MAX]) {
  char program[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", program, sizeof program);
  const char *slash = len > 0 ? memrchr(program, '/', (size_t)len) : NULL;
  for (const char *const *place = places; slash && *place; place++) {
    ck_buffer path = {0};
    ck_buffer_append(&path, program, (size_t)(slash - program) + 1);
    ck_buffer_append_format(&path, "%s/ck/meta.lua", *place);
    bool found = !path.failed && realpath(path.data, out);
    ck_buffer_clear(&path);
    if (!found) continue;
    out[strlen(out) - strlen("/ck/meta.lua")] = '\0';
    return true;
  }
  return false;
}

/* Libraries that the sandbox does not have. */
static void write_libraries(ck_json_writer *w) {
  static const char *const absent[] = {"bit", "bit32", "coroutine", "debug", "ffi",
                                       "io",  "jit",   "os",        NULL};
  ck_json_name(w, "runtime.builtin");
  ck_json_begin(w, '{');
  for (const char *const *name = absent; *name; name++) ck_json_member_text(w, *name, "disable");
  ck_json_end(w, '}');
}

static void write_settings(ck_buffer *out, const char *annotations) {
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "runtime.version", "Lua 5.4");
  write_libraries(&w);
  ck_json_name(&w, "workspace.library");
  ck_json_begin(&w, '[');
  ck_json_put_text(&w, annotations);
  ck_json_end(&w, ']');
  ck_json_member_bool(&w, "workspace.checkThirdParty", false);
  ck_json_end(&w, '}');
  ck_buffer_append_char(out, '\n');
}

ck_status ck_editor_write(bool *written, ck_error *err) {
  char annotations[PATH_MAX];
  ck_buffer text = {0};
  *written = access(settings_file, F_OK) != 0 && find_annotations(annotations);
  if (!*written) return CK_OK;
  write_settings(&text, annotations);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_write_file(settings_file, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  *written = status == CK_OK;
  return status;
}
