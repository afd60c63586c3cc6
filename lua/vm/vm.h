/* vm.h - a bounded Lua state: text chunks only, an environment made by allow-list, one protected
 * call for everything that can raise.
 *
 * C code that touches Lua values runs as a body inside ck_vm_call, so that an error of a script, a
 * lack of memory or a spent budget becomes a status and never an abort. A body owns
 * nothing that an error would leak: what it allocates belongs to its `arg`, and whoever called
 * ck_vm_call frees that on failure.
 *
 * Budgets are per outermost call (or resume). Once one is spent, every further instruction raises,
 * also inside pcall. */
#ifndef CK_LUA_VM_VM_H
#define CK_LUA_VM_VM_H

#include <lua.h>

#include "core/base/buffer.h"
#include "core/base/clock.h"

typedef struct ck_vm ck_vm;

enum { CK_VM_SOURCE_MAX = 1 << 20 }; /* bytes of one script */

/* "5.4.4": of the library that is loaded. Lives as long as the program. */
const char *ck_vm_version(void);

typedef struct ck_vm_limits {
  /* per call; allocation counts too (64 bytes: one instruction); 0: no limit */
  int64_t instructions;
  int64_t time_us; /* per call without a yield, of this thread's own processor time; 0: no limit */
  size_t memory;   /* bytes in use after a collection; beyond it the script is stopped */
  size_t memory_hard;  /* a single allocation beyond it fails */
  ck_status raised;    /* the status of an error of the script */
  ck_status timed_out; /* what a spent `time_us` is reported as */
} ck_vm_limits;
extern const ck_vm_limits
    ck_vm_policy_limits; /* 1,000,000 instructions, 100 ms, 16 MiB; CK_E_POLICY */
extern const ck_vm_limits ck_vm_flow_limits; /* 1 s, 256 MiB; CK_E_FLOW, CK_E_FLOW_STALLED */

typedef enum {
  CK_VM_WITHIN,
  CK_VM_INSTRUCTIONS,
  CK_VM_MEMORY,
  CK_VM_TIME,
  CK_VM_NO_MEMORY /* no budget: the process got no more memory; the script cannot catch it either */
} ck_vm_overrun;

/* `clock` is borrowed for the VM's life; its monotonic time alone then measures `time_us`. NULL:
 * the thread's own. */
CK_CHECKED ck_status ck_vm_new(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock,
                               ck_error *err);
void ck_vm_free(ck_vm *self);
/* The same without an environment: for ck_vm_new. */
CK_CHECKED ck_status ck_vm_create(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock,
                                  ck_error *err);

/* The next outermost call works on so many bytes of content, however many there are: for each KiB
 * it has 32,000 instructions, 10 ms and 64 KiB more. */
void ck_vm_allow(ck_vm *self, size_t bytes);

/* Of the main thread. Touch it inside a body only. */
lua_State *ck_vm_state(ck_vm *self);
ck_vm *ck_vm_of(lua_State *L);
/* Which budget the last call or resume ran out of. */
ck_vm_overrun ck_vm_get_overrun(const ck_vm *self);
/* Bytes in use. */
size_t ck_vm_memory(const ck_vm *self);
/* What the last call or resume took of the budget of instructions, as far as it was counted: in
 * steps of 128, or one by one. */
int64_t ck_vm_spent(const ck_vm *self);
void ck_vm_count_exactly(ck_vm *self, bool exactly);

/* Runs `body` under the budgets on the main thread with `arg` as a light userdata at index 1; its
 * results are dropped. The text of a failure is "file:line: message". Inside a body a nested call
 * shares the budgets of the outer one. CK_E_PARSE: a chunk does not compile. CK_E_NO_MEMORY: there
 * is none. */
CK_CHECKED ck_status ck_vm_call(ck_vm *self, lua_CFunction body, void *arg, ck_error *err);

/* What a coroutine came to: results or yielded values are the top `count` values of its own
 * stack. */
typedef struct ck_vm_resumed {
  bool yielded; /* false: it returned */
  int count;
} ck_vm_resumed;
/* Resumes `thread` (made by lua_newthread, anchored by the caller) with the top `nargs` values of
 * its stack; at first the function lies below them. The hook is set for the thread each time. On
 * failure the thread is dead. Move values to and from the thread inside a body:
 * lua_checkstack(thread, n), then lua_xmove. */
CK_CHECKED ck_status ck_vm_resume(ck_vm_resumed *out, ck_vm *self, lua_State *thread, int nargs,
                                  ck_error *err);

/* Inside a body or C function only: these raise. */

/* Pushes the compiled text as a function with the sandbox's environment. `name` is a path: errors
 * show it and the line. A byte order mark and a first line that begins with # are skipped. Raises
 * CK_E_PARSE. */
void ck_vm_push_chunk(lua_State *L, const char *name, ck_bytes text);
/* Takes the table on top as the environment of all chunks. */
void ck_vm_set_env(lua_State *L);
/* Raises `format`'s text with "file:line: " of the script's line in front; ck_vm_call reports it as
 * `status`. */
int ck_vm_raise(lua_State *L, ck_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* The same without a location in front. */
int ck_vm_raise_plain(lua_State *L, ck_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* Remembers the script's line for an error whose value is no text. */
void ck_vm_note_location(lua_State *L);
/* Takes `units` (about one instruction's work each) from the budget; raises when it is spent. Every
 * loop of a library function that does not allocate as much as it works calls this. */
void ck_vm_charge(lua_State *L, int64_t units);
/* The same for C code that must return before anything may raise: false when a budget is spent;
 * then call ck_vm_charge. */
CK_CHECKED bool ck_vm_try_charge(lua_State *L, int64_t units);
/* A buffer of the VM, emptied; what one step needs between two calls that may raise. */
ck_buffer *ck_vm_scratch(lua_State *L);
/* pcall for scripts: yieldable; lets a spent budget pass through. */
int ck_vm_pcall(lua_State *L);

/* Reads a script: a regular file (no symbolic link) of this user or root, which nobody else may
 * write, at most CK_VM_SOURCE_MAX bytes of UTF-8. Root reads files of every owner; a group with the
 * owner's number is his own. Appends to `out`. CK_E_NOT_FOUND, CK_E_REFUSED (link, kind, owner or
 * mode), CK_E_OVERSIZE, CK_E_PARSE (not UTF-8), CK_E_IO. */
CK_CHECKED ck_status ck_vm_read_file(ck_buffer *out, const char *path, ck_error *err);

#endif
