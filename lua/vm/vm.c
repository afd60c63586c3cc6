/* vm.c - the Lua state, its allocator and budgets, and the protected calls through which all Lua
 * runs. */
#include "lua/vm/vm.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/log.h"

enum {
  TICK = 128,           /* instructions between two checks of the budgets, unless counted exactly */
  TICK_BYTES = 2 << 20, /* allocated bytes after which the next check comes at once */
  BYTES_PER_UNIT = 64,
  UNITS_PER_CHECK = 4096, /* charged work between two checks */
  SCRATCH_KEPT = 1 << 16,
  PCALL_DEPTH_MAX = 1000
};

const ck_vm_limits ck_vm_policy_limits = {1000000,   100000,      16u << 20,
                                          64u << 20, CK_E_POLICY, CK_E_POLICY};
const ck_vm_limits ck_vm_flow_limits = {0,          1000000,   256u << 20,
                                        512u << 20, CK_E_FLOW, CK_E_FLOW_STALLED};

struct ck_vm {
  lua_State *L;
  lua_State *running; /* the thread whose hook counts; NULL outside calls */
  ck_vm_limits usual;
  ck_vm_limits limits; /* of this call */
  size_t allowed_kib;  /* content of the next call */
  ck_clock clock;
  bool clock_given;
  size_t used;
  size_t allocated;  /* since the last check */
  int64_t left;      /* instructions */
  int64_t unchecked; /* charged units since the last check */
  int64_t began_us;  /* -1: the clock was not read yet in this call */
  int64_t began_cpu_us;
  int tick;     /* instructions between two checks while within the budgets */
  int interval; /* of the hook, as set */
  int depth;    /* of nested calls */
  bool refused; /* an allocation went over the hard limit */
  ck_vm_overrun overrun;
  ck_status raised_as;            /* of the error being raised; CK_OK: limits.raised */
  char location[LUA_IDSIZE + 16]; /* "file:line: " of the overrun, or of an error without text */
  ck_buffer scratch;
};

static const char overrun_mark = 0;

/* For each KiB of content. */
static const struct {
  int64_t instructions, time_us;
  size_t memory;
} content_limits = {32000, 10000, 65536};

lua_State *ck_vm_state(ck_vm *self) { return self->L; }
ck_vm *ck_vm_of(lua_State *L) { return *(ck_vm **)lua_getextraspace(L); }
ck_vm_overrun ck_vm_get_overrun(const ck_vm *self) { return self->overrun; }
size_t ck_vm_memory(const ck_vm *self) { return self->used; }
int64_t ck_vm_spent(const ck_vm *self) { return self->limits.instructions - self->left; }
void ck_vm_count_exactly(ck_vm *self, bool exactly) { self->tick = exactly ? 1 : TICK; }

/* ---- budgets ---- */

static void on_count(lua_State *L, lua_Debug *ar);

static void set_interval(ck_vm *self, lua_State *L, int interval) {
  self->interval = interval;
  lua_sethook(L, on_count, LUA_MASKCOUNT, interval);
}

static void *allocate(void *ud, void *block, size_t old_size, size_t size) {
  ck_vm *self = ud;
  size_t old = block ? old_size : 0;
  if (size == 0) {
    free(block);
    self->used -= old;
    return NULL;
  }
  if (size > old && (size - old > self->limits.memory_hard ||
                     self->used > self->limits.memory_hard - (size - old))) {
    self->refused = true;
    return NULL;
  }
  void *moved = realloc(block, size);
  if (!moved && size > old) return NULL;
  self->used = self->used - old + size;
  if (size > old) self->allocated += size - old;
  /* Setting a hook is allowed at any moment; it acts at the script's next instruction. */
  if (self->running && self->interval != 1 &&
      (self->used > self->limits.memory || self->allocated > TICK_BYTES)) {
    set_interval(self, self->running, 1);
  }
  return moved ? moved : block;
}

static int64_t thread_cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* The cheap clock first; a loaded or sleeping machine is no fault of the script's, so the thread's
 * own processor time decides. */
static bool is_time_up(ck_vm *self) {
  if (!self->limits.time_us) return false;
  int64_t now = self->clock.mono_us(self->clock.self);
  if (self->began_us < 0) {
    self->began_us = now;
    if (!self->clock_given) self->began_cpu_us = thread_cpu_us();
    return false;
  }
  if (now - self->began_us < self->limits.time_us) return false;
  return self->clock_given || thread_cpu_us() - self->began_cpu_us >= self->limits.time_us;
}

static bool is_memory_spent(ck_vm *self, lua_State *L) {
  if (self->used <= self->limits.memory) return false;
  lua_gc(L, LUA_GCCOLLECT);
  return self->used > self->limits.memory / 4 * 3;
}

static void note_location(ck_vm *self, lua_State *L) {
  self->location[0] = '\0';
  lua_Debug at;
  for (int level = 0; level < 8 && lua_getstack(L, level, &at); level++) {
    lua_getinfo(L, "Sl", &at);
    if (at.currentline <= 0) continue;
    snprintf(self->location, sizeof self->location, "%s:%d: ", at.short_src, at.currentline);
    return;
  }
}

void ck_vm_note_location(lua_State *L) { note_location(ck_vm_of(L), L); }

static int raise_overrun(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&overrun_mark);
  return lua_error(L);
}

/* Checks every budget; raises when one is spent. From then on each instruction comes back
 * here. */
static void check_budgets(ck_vm *self, lua_State *L) {
  self->left -= (int64_t)(self->allocated / BYTES_PER_UNIT);
  self->allocated = 0;
  self->unchecked = 0;
  if (self->overrun == CK_VM_WITHIN) {
    if (is_memory_spent(self, L))
      self->overrun = CK_VM_MEMORY;
    else if (self->limits.instructions && self->left <= 0)
      self->overrun = CK_VM_INSTRUCTIONS;
    else if (is_time_up(self))
      self->overrun = CK_VM_TIME;
    if (self->overrun != CK_VM_WITHIN) note_location(self, L);
  }
  int interval = self->overrun == CK_VM_WITHIN ? self->tick : 1;
  if (interval != self->interval) set_interval(self, L, interval);
  if (self->overrun != CK_VM_WITHIN) raise_overrun(L);
}

static void on_count(lua_State *L, lua_Debug *ar) {
  (void)ar;
  ck_vm *self = ck_vm_of(L);
  self->left -= self->interval;
  check_budgets(self, L);
}

void ck_vm_charge(lua_State *L, int64_t units) {
  ck_vm *self = ck_vm_of(L);
  if (!self->running) return;
  self->left -= units;
  self->unchecked += units;
  bool spent = self->limits.instructions && self->left <= 0;
  if (spent || self->interval == 1 || self->unchecked > UNITS_PER_CHECK) check_budgets(self, L);
}

bool ck_vm_try_charge(lua_State *L, int64_t units) {
  ck_vm *self = ck_vm_of(L);
  if (!self->running) return true;
  self->left -= units;
  self->unchecked += units;
  bool spent = self->limits.instructions && self->left <= 0;
  if (!spent && self->unchecked > UNITS_PER_CHECK) {
    spent = is_time_up(self);
    if (!spent) self->unchecked = 0;
  }
  if (spent) set_interval(self, L, 1);
  return !spent;
}

/* ---- errors ---- */

static const char *overrun_text(const ck_vm *self, char *text, size_t size) {
  switch (self->overrun) {
    case CK_VM_INSTRUCTIONS:
      snprintf(text, size, "the budget of %lld instructions is spent",
               (long long)self->limits.instructions);
      break;
    case CK_VM_TIME:
      snprintf(text, size, "ran longer than %lld ms", (long long)(self->limits.time_us / 1000));
      break;
    default:
      snprintf(text, size, "the budget of %zu MiB of memory is spent", self->limits.memory >> 20);
  }
  return text;
}

/* Runs outside any protection: nothing here may allocate in Lua or run a metamethod. */
static ck_status report(ck_vm *self, lua_State *L, int status, ck_error *err) {
  ck_status raised = self->raised_as != CK_OK ? self->raised_as : self->limits.raised;
  char text[80];
  if (status == LUA_ERRMEM && self->overrun == CK_VM_WITHIN) {
    if (!self->refused) return ck_error_no_memory(err);
    self->overrun = CK_VM_MEMORY;
  }
  if (self->overrun == CK_VM_NO_MEMORY) return ck_error_no_memory(err);
  if (self->overrun != CK_VM_WITHIN) {
    if (self->overrun == CK_VM_TIME)
      raised = self->limits.timed_out;
    else
      raised = self->limits.raised;
    return ck_error_set(err, raised, "%s%s", self->location, overrun_text(self, text, sizeof text));
  }
  int type = lua_gettop(L) > 0 ? lua_type(L, -1) : LUA_TNIL;
  if (type == LUA_TSTRING) return ck_error_set(err, raised, "%s", lua_tostring(L, -1));
  if (type == LUA_TNUMBER)
    return ck_error_set(err, raised, "%sthe error value is %.14g", self->location,
                        (double)lua_tonumber(L, -1));
  return ck_error_set(err, raised, "%sthe error value is a %s, not a text", self->location,
                      lua_typename(L, type));
}

int ck_vm_raise_plain(lua_State *L, ck_status status, const char *format, ...) {
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_vm_of(L)->raised_as = status;
  lua_pushstring(L, text);
  lua_error(L);
  abort(); /* never: Lua's headers do not say that lua_error does not return */
}

int ck_vm_raise(lua_State *L, ck_status status, const char *format, ...) {
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_vm_of(L)->raised_as = status;
  luaL_where(L, 1);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  lua_error(L);
  abort();
}

/* ---- protected calls ---- */

typedef struct {
  lua_State *outer;
} entered;

void ck_vm_allow(ck_vm *self, size_t bytes) { self->allowed_kib = bytes / 1024; }

/* What has no limit has none with content either. */
static void take_limits(ck_vm *self) {
  ck_vm_limits *limits = &self->limits;
  int64_t more = (int64_t)self->allowed_kib;
  *limits = self->usual;
  if (limits->instructions) limits->instructions += more * content_limits.instructions;
  if (limits->time_us) limits->time_us += more * content_limits.time_us;
  limits->memory += (size_t)more * content_limits.memory;
  limits->memory_hard += (size_t)more * content_limits.memory;
  self->allowed_kib = 0;
}

static entered enter(ck_vm *self, lua_State *L) {
  entered state = {self->running};
  self->running = L;
  if (self->depth++ > 0) {
    set_interval(self, L, self->interval);
    return state;
  }
  take_limits(self);
  self->left = self->limits.instructions;
  self->allocated = 0;
  self->unchecked = 0;
  self->began_us = -1;
  self->overrun = CK_VM_WITHIN;
  self->refused = false;
  self->raised_as = CK_OK;
  self->location[0] = '\0';
  set_interval(self, L, self->tick);
  return state;
}

static void leave(ck_vm *self, entered state) {
  self->depth--;
  self->running = state.outer;
  if (self->depth > 0) return;
  if (self->overrun == CK_VM_MEMORY) lua_gc(self->L, LUA_GCCOLLECT);
  if (self->scratch.cap > SCRATCH_KEPT) ck_buffer_clear(&self->scratch);
}

ck_status ck_vm_call(ck_vm *self, lua_CFunction body, void *arg, ck_error *err) {
  lua_State *L = self->L;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 3)) return ck_error_no_memory(err);
  entered state = enter(self, L);
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, arg);
  int status = lua_pcall(L, 1, 0, 0);
  ck_status result = CK_OK;
  if (status != LUA_OK || self->overrun != CK_VM_WITHIN) result = report(self, L, status, err);
  lua_settop(L, top);
  leave(self, state);
  return result;
}

ck_status ck_vm_resume(ck_vm_resumed *out, ck_vm *self, lua_State *thread, int nargs,
                       ck_error *err) {
  *out = (ck_vm_resumed){0};
  entered state = enter(self, thread);
  int count = 0;
  int status = lua_resume(thread, self->L, nargs, &count);
  ck_status result = CK_OK;
  if ((status != LUA_OK && status != LUA_YIELD) || self->overrun != CK_VM_WITHIN) {
    result = report(self, thread, status, err);
  } else {
    *out = (ck_vm_resumed){status == LUA_YIELD, count};
  }
  leave(self, state);
  return result;
}

static int finish_pcall(lua_State *L, int status, lua_KContext context) {
  (void)context;
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L);
  ck_vm *self = ck_vm_of(L);
  if (status == LUA_ERRMEM && self->overrun == CK_VM_WITHIN) {
    self->overrun = self->refused ? CK_VM_MEMORY : CK_VM_NO_MEMORY;
    note_location(self, L);
  }
  if (self->raised_as == CK_E_NO_MEMORY && self->overrun == CK_VM_WITHIN) {
    self->overrun = CK_VM_NO_MEMORY; /* of a C function */
    note_location(self, L);
  }
  if (self->overrun != CK_VM_WITHIN) return raise_overrun(L);
  self->raised_as = CK_OK;
  lua_pushboolean(L, false);
  lua_insert(L, -2);
  return 2;
}

int ck_vm_pcall(lua_State *L) {
  lua_Debug deep;
  luaL_checkany(L, 1);
  /* An overrun unwinds every pcall in turn, each closing all levels above it: the depth is bounded,
   * else it would be quadratic. */
  if (lua_getstack(L, PCALL_DEPTH_MAX, &deep))
    return ck_vm_raise(L, CK_OK, "calls are nested too deeply for pcall");
  lua_pushboolean(L, true);
  lua_insert(L, 1);
  return finish_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall), 0);
}

ck_buffer *ck_vm_scratch(lua_State *L) {
  ck_buffer *scratch = &ck_vm_of(L)->scratch;
  ck_buffer_reset(scratch);
  return scratch;
}

/* ---- life ---- */

static int on_panic(lua_State *L) {
  ck_log_line(CK_LOG_ERROR, "a Lua error outside any protected call: %s",
              lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "(no text)");
  return 0;
}

ck_status ck_vm_create(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock,
                       ck_error *err) {
  *out = NULL;
  ck_vm *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->usual = self->limits = *limits;
  self->tick = TICK;
  self->clock = clock ? *clock : ck_clock_system();
  self->clock_given = clock != NULL;
  self->L = lua_newstate(allocate, self);
  if (!self->L) {
    free(self);
    return ck_error_no_memory(err);
  }
  lua_atpanic(self->L, on_panic);
  *(ck_vm **)lua_getextraspace(self->L) = self;
  *out = self;
  return CK_OK;
}

void ck_vm_free(ck_vm *self) {
  if (!self) return;
  self->running = NULL;
  lua_close(self->L);
  ck_buffer_clear(&self->scratch);
  free(self);
}
