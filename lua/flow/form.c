/* form.c - asks the module that reads such answers for a flow, in a VM of its own. */
#include "lua/flow/form.h"

#include <lauxlib.h>

#include "core/base/text.h"
#include "lua/vm/json.h"
#include "lua/vm/vm.h"

enum { SHOWN_MAX = 60 };

typedef struct checking {
  ck_bytes form;
  const char *text;
  ck_buffer problem;
} checking;

/* parse(text), as a flow's ctx has it. */
static int parse(lua_State *L) {
  ck_bytes text;
  text.data = luaL_checklstring(L, 1, &text.len);
  ck_error err = CK_ERROR_INIT;
  if (ck_json_check(text, &err) == CK_OK) {
    ck_json_push(L, text);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, err.text);
  return 2;
}

static int check_body(lua_State *L) {
  checking *self = lua_touserdata(L, 1);
  ck_sandbox_require(L, "ck.flow.elicitation");
  lua_getfield(L, -1, "problem");
  lua_pushcfunction(L, parse);
  ck_json_push(L, self->form);
  lua_pushstring(L, self->text);
  lua_call(L, 3, 1);
  if (lua_type(L, -1) == LUA_TSTRING) ck_buffer_append_text(&self->problem, lua_tostring(L, -1));
  return 0;
}

/* What cannot be understood is for the flow to say, which asks again. */
ck_status ck_form_check(ck_bytes form, const char *text, ck_error *err) {
  checking self = {.form = form, .text = text};
  ck_error ignored = CK_ERROR_INIT;
  ck_vm *vm;
  ck_status status = ck_vm_new(&vm, &ck_vm_flow_limits, NULL, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(vm, check_body, &self, &ignored);
  ck_vm_free(vm);
  bool refused = status == CK_OK && self.problem.len > 0;
  status = status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
  if (refused && !self.problem.failed)
    status =
        ck_error_set(err, CK_E_REFUSED, "'%.*s' is not taken: %.*s", ck_text_fits(text, SHOWN_MAX),
                     text, (int)self.problem.len, self.problem.data);
  ck_buffer_clear(&self.problem);
  return status;
}
