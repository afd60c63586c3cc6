/* vm_script.c - runs one script in a VM and gives its value as JSON; makes engines of policies
 * given as texts. */
#include "tests/lua/vm/vm_script.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "lua/vm/json.h"
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

ck_status vm_script_run(ck_buffer *out, ck_vm *vm, const char *text, ck_error *err) {
  run self = {out, text};
  return ck_vm_call(vm, run_body, &self, err);
}

const char *vm_script_file(const char *name, const char *text) {
  const char *path = tap_tmpfile(name);
  FILE *file = fopen(path, "w");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0 && chmod(path, 0644) == 0,
           "%s is written", name);
  return path;
}

ck_status vm_script_engines(ck_policy_engine *out, const char *const *texts, size_t count,
                            ck_error *err) {
  ck_profile *profile;
  char name[32];
  tap_must(ck_profile_new(&profile, "test", err) == CK_OK, "a profile is made");
  for (size_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "p%zu.lua", i + 1);
    tap_must(ck_profile_append_policy(profile, vm_script_file(name, texts[i]), NULL, err) == CK_OK,
             "a policy is added");
  }
  ck_status status = ck_policy_engine_open(out, profile, err);
  ck_profile_free(profile);
  return status;
}

ck_policy_engine vm_script_engine(const char *text) {
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, &text, 1, &err) == CK_OK, "a policy loads: %s", err.text);
  return engine;
}

int64_t vm_script_cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
