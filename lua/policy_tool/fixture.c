/* fixture.c - writes what a policy would read of a recorded boundary. */
#include "lua/policy_tool/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "lua/policy/view_fields.h"
#include "lua/vm/json.h"
#include "lua/vm/vm.h"

enum { BOUNDARY_SIZE = 1 << 20 };

typedef struct writing {
  ck_buffer *out;
  ck_vm *vm;
  ck_view_slot slot;
  int64_t wanted; /* seq; 0: all */
  size_t count, passed;
} writing;

/* Stack: … a view. Pushes a table of its fields. */
static void push_fields(lua_State *L, ck_view_kind kind) {
  int view = lua_gettop(L);
  lua_newtable(L);
  for (const view_field *field = ck_view_fields[kind]; field->name; field++) {
    lua_getfield(L, view, field->name);
    if (!field->push) {
      push_fields(L, (ck_view_kind)((int)kind + field->child));
      lua_remove(L, -2);
    }
    lua_setfield(L, view + 1, field->name);
  }
}

static int write_body(lua_State *L) {
  writing *self = lua_touserdata(L, 1);
  ck_view_push(L, CK_VIEW_AT, &self->slot);
  push_fields(L, CK_VIEW_AT);
  ck_json_append_lua(self->out, L, -1, BOUNDARY_SIZE);
  return 0;
}

static ck_status write_boundary(void *to, const ck_boundary *at, ck_error *err) {
  writing *self = to;
  ck_view_count(&self->slot.counts, at);
  self->passed++;
  if (self->wanted && at->seq != self->wanted) return CK_OK;
  if (self->count++ > 0) ck_buffer_append_char(self->out, ',');
  self->slot.subject = at;
  ck_status status = ck_vm_call(self->vm, write_body, self, err);
  self->slot.subject = NULL;
  return status;
}

static ck_status write_all(writing *self, const ck_policy_tool_fixtures *fixtures, const char *id,
                           ck_error *err) {
  static const ck_vm_limits limits = {.memory = (size_t)64 << 20,
                                      .memory_hard = (size_t)128 << 20,
                                      .raised = CK_E_FAILED,
                                      .timed_out = CK_E_FAILED};
  ck_status status = ck_vm_new(&self->vm, &limits, NULL, err);
  if (status != CK_OK) return status;
  ck_buffer_append_char(self->out, '[');
  status = fixtures->visit(fixtures->self, id, write_boundary, self, err);
  ck_buffer_append_char(self->out, ']');
  ck_vm_free(self->vm);
  if (status == CK_OK && self->wanted && !self->count)
    status = ck_error_set(err, CK_E_NOT_FOUND, "event %lld of session %s is none of its %zu %s",
                          (long long)self->wanted, id, self->passed,
                          self->passed == 1 ? "boundary" : "boundaries");
  return status == CK_OK ? ck_buffer_check(self->out, err) : status;
}

static ck_status read_wanted(int64_t *wanted, const char *session, const char *mark,
                             ck_error *err) {
  char *end = NULL;
  *wanted = mark ? strtoll(mark + 1, &end, 10) : 0;
  if (!mark || (*wanted > 0 && end != mark + 1 && !*end)) return CK_OK;
  return ck_error_set(err, CK_E_RANGE, "%s: behind # the number of an event is expected", session);
}

ck_status ck_fixture_append(ck_buffer *out, const ck_policy_tool_fixtures *fixtures,
                            const char *session, ck_error *err) {
  writing self = {.out = out};
  const char *mark = strchr(session, '#');
  if (!fixtures)
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s: there is no store to read it from",
                        session);
  ck_status status = read_wanted(&self.wanted, session, mark, err);
  if (status != CK_OK) return status;
  char *id = mark ? strndup(session, (size_t)(mark - session)) : strdup(session);
  if (!id) return ck_error_no_memory(err);
  status = write_all(&self, fixtures, id, err);
  free(id);
  return status;
}
