/* script.c - runs one script in a VM and gives its value as JSON. */
#include "tests/lua/script.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "lua/json.h"
#include "tests/tap.h"

typedef struct {
  ck_buffer *out;
  const char *text;
} run;

static int run_body(lua_State *L) {
  run *self = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, "t.lua", ck_bytes_text(self->text));
  lua_call(L, 0, 1);
  ck_json_append_lua(self->out, L, -1, 1 << 20);
  return 0;
}

ck_status script_run(ck_buffer *out, ck_vm *vm, const char *text, ck_error *err) {
  run self = {out, text};
  return ck_vm_call(vm, run_body, &self, err);
}

const char *script_file(const char *name, const char *text) {
  const char *path = tap_tmpfile(name);
  FILE *file = fopen(path, "w");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, 0644) == 0, "%s is written", name);
  return path;
}

int64_t script_cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
