/* ask.c - the arguments of each hook, its call, and its answer. */
#include "lua/policy/ask.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/vm/json.h"

bool ck_policy_has(const loaded_policy *policy, policy_hook hook) {
  return policy->hooks[hook] != LUA_NOREF;
}

static void push_reference(lua_State *L, int reference) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
}

static void push_view(lua_State *L, const asking *of, ck_view_kind kind) {
  push_reference(L, of->policy->views[kind]);
}

/* push_HOOK pushes the arguments but for the options, and gives their number; read_HOOK reads the
 * answer at the top of the stack. */

/* ---- checkpoint ---- */

static int push_checkpoint(lua_State *L, const asking *of) {
  push_view(L, of, CK_VIEW_AT);
  return 1;
}

static void append_reason(asking *of) {
  ck_buffer_append_char(of->text, of->text->len == 0 ? '[' : ',');
  ck_buffer_append_bytes(of->text, ck_buffer_bytes(&of->policy->reason));
  if (of->decision.reason)
    ck_json_append_string(of->text, (ck_bytes){of->decision.reason, of->decision.reason_len});
  else
    ck_buffer_append_text(of->text, "null");
  ck_buffer_append_char(of->text, '}');
}

static void read_checkpoint(asking *of, lua_State *L) {
  ck_answer_read_checkpoint(&of->decision, L, -1);
  if (of->decision.take) append_reason(of);
}

/* ---- prune ---- */

/* A list of views, with a field for the time. */
static void fill_history(lua_State *L, const void *of, uint64_t call) {
  const ck_view_slot *slot = of;
  ck_view_check_call(L, slot, call);
  ck_view_push_elements(L, CK_VIEW_CHECKPOINT, slot, slot->count);
  lua_pushinteger(L, slot->now_ms);
  lua_setfield(L, -2, "now");
}

static int push_prune(lua_State *L, const asking *of) {
  const ck_view_slot *slot = &of->policy->slots[CK_VIEW_CHECKPOINT];
  ck_sandbox_push_lazy(L, slot->count, fill_history, slot, slot->call);
  return 1;
}

static void read_prune(asking *of, lua_State *L) {
  const ck_plan_reading about = {of->subject, of->by_id, of->place};
  of->planned = ck_answer_read_plan(of->plan, &about, L, -1);
}

/* ---- redact ---- */

static int push_redact(lua_State *L, const asking *of) {
  const ck_item *item = of->subject;
  push_view(L, of, CK_VIEW_ITEM);
  ck_sandbox_set_item(L, &(ck_sandbox_item){.key = item->fingerprint,
                                            .view = lua_touserdata(L, -1),
                                            .value = ck_value_bytes(item->value),
                                            .name = item->key});
  return 1;
}

static void read_redact(asking *of, lua_State *L) {
  const ck_item *item = of->subject;
  of->verdict = ck_answer_read_redaction(of->text, L, -1, ck_value_bytes(item->value));
}

/* ---- resume ---- */

static int push_resume(lua_State *L, const asking *of) {
  const ck_resume_case *subject = of->subject;
  push_view(L, of, CK_VIEW_SESSION);
  if (subject->checkpoint)
    push_reference(L, of->policy->resumed_view);
  else
    lua_pushnil(L);
  return 2;
}

static void read_resume(asking *of, lua_State *L) {
  of->word = (int)ck_answer_read_rules(of->rules, of->text, L, -1);
}

/* ---- tail ---- */

static int push_tail(lua_State *L, const asking *of) {
  push_view(L, of, CK_VIEW_EVENT);
  lua_pushstring(L, of->agent);
  return 2;
}

static void read_tail(asking *of, lua_State *L) { of->truth = ck_answer_read_truth(L, -1, true); }

/* ---- on_failure, in_doubt ---- */

/* The second argument is the boundary before the failure, which is not known here. */
static int push_on_failure(lua_State *L, const asking *of) {
  push_view(L, of, CK_VIEW_FAILURE);
  lua_pushnil(L);
  return 2;
}

static void read_on_failure(asking *of, lua_State *L) {
  of->word = ck_answer_read_failure(&of->wait_ms, L, -1);
}

static int push_in_doubt(lua_State *L, const asking *of) {
  push_view(L, of, CK_VIEW_EFFECT);
  return 1;
}

static void read_in_doubt(asking *of, lua_State *L) {
  of->word = ck_answer_read_word(L, -1, NULL, ck_answer_doubt_words);
}

/* ---- permit ---- */

static int push_permit(lua_State *L, const asking *of) {
  push_view(L, of, CK_VIEW_EFFECT);
  push_view(L, of, CK_VIEW_AT);
  return 2;
}

static void read_permit(asking *of, lua_State *L) {
  of->word = (int)ck_answer_read_permit(of->text, L, -1);
}

/* ---- migrate ---- */

static const char document_key; /* of the registry: the document as the policy has it */

/* The document is a copy of the policy's own, which may change it in place and return it. */
static int push_migrate(lua_State *L, const asking *of) {
  ck_json_push(L, ck_value_bytes(of->subject));
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &document_key);
  lua_pushinteger(L, of->from);
  lua_pushinteger(L, of->to);
  return 3;
}

static bool is_same(lua_State *L, int a, int b);

/* Each key of the table at `a` has the same value in that at `b`. */
static bool is_within(lua_State *L, int a, int b) {
  bool within = true;
  int top = lua_gettop(L);
  for (lua_pushnil(L); within && lua_next(L, a); lua_settop(L, top + 1)) {
    lua_pushvalue(L, top + 1);
    lua_rawget(L, b);
    within = is_same(L, top + 2, top + 3);
  }
  lua_settop(L, top);
  return within;
}

static bool is_same(lua_State *L, int a, int b) {
  luaL_checkstack(L, 8, "a document");
  ck_vm_charge(L, 1);
  if (lua_rawequal(L, a, b)) return true;
  return lua_istable(L, a) && lua_istable(L, b) && is_within(L, a, b) && is_within(L, b, a);
}

/* What was changed in place and is not given would be lost. */
static void check_unchanged(const asking *of, lua_State *L) {
  ck_json_push(L, ck_value_bytes(of->subject));
  lua_rawgetp(L, LUA_REGISTRYINDEX, &document_key);
  if (!is_same(L, lua_gettop(L), lua_gettop(L) - 1))
    ck_vm_raise_plain(L, CK_OK,
                      "the document was changed, and the answer is nil, which leaves it as it is: "
                      "return the document");
  lua_pop(L, 2);
}

static void read_migrate(asking *of, lua_State *L) {
  if (lua_isnil(L, -1)) check_unchanged(of, L);
  ck_answer_read_document(&of->document, L, -1);
}

/* ---- the call ---- */

static const struct {
  int (*push)(lua_State *L, const asking *of);
  void (*read)(asking *of, lua_State *L);
} calls[POLICY_HOOK_COUNT] = {
#define X(name, ...) {push_##name, read_##name},
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

static int ask_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_reference(L, of->policy->hooks[of->hook]);
  int count = calls[of->hook].push(L, of);
  push_reference(L, of->policy->options);
  lua_call(L, count + 1, 1);
  of->answered = true;
  calls[of->hook].read(of, L);
  return 0;
}

/* Bytes of the content that the hook is shown, which can be of any size. */
static size_t measure_content(const asking *of) {
  enum { CHECKPOINT_BYTES = 64 };
  switch (of->hook) {
    case POLICY_prune:
      return ((const ck_history *)of->subject)->count * CHECKPOINT_BYTES;
    case POLICY_redact:
      return ck_value_bytes(((const ck_item *)of->subject)->value).len;
    case POLICY_tail:
      return ck_value_bytes(((const ck_event *)of->subject)->body).len;
    case POLICY_in_doubt:
    case POLICY_permit:
      return ((const ck_effect *)of->subject)->request.len;
    case POLICY_migrate:
      return ck_value_bytes(of->subject).len;
    default:
      return 0;
  }
}

/* The checkpoints that the hook is shown. A history without any is a subject, too. */
static void fill_checkpoints(loaded_policy *policy, const asking *of, bool shown) {
  const ck_history *history = of->subject;
  const ck_resume_case *resume = of->subject;
  ck_view_slot *slot = &policy->slots[CK_VIEW_CHECKPOINT], *resumed = &policy->resumed;
  slot->subject = resumed->subject = NULL;
  slot->call += shown;
  if (!shown) return;
  if (of->hook == POLICY_prune) {
    slot->now_ms = history->now_ms;
    slot->count = history->count;
    slot->subject = history->count ? (const void *)history->checkpoints : history;
  } else if (of->hook == POLICY_resume) {
    resumed->now_ms = resume->now_ms;
    resumed->subject = resume->checkpoint;
  }
}

static void fill_slots(const asking *of, bool shown) {
  ck_view_slot *slots = of->policy->slots;
  ck_view_kind view = ck_policy_hooks[of->hook].view;
  if (view != CK_VIEW_COUNT && view != CK_VIEW_CHECKPOINT)
    slots[view].subject = shown ? of->subject : NULL;
  if (of->hook == POLICY_permit) slots[CK_VIEW_AT].subject = shown ? of->at : NULL;
  fill_checkpoints(of->policy, of, shown);
  slots[CK_VIEW_AT].counts = of->counts;
}

ck_status ck_policy_ask(asking *of, ck_error *err) {
  loaded_policy *policy = of->policy;
  const char *hook = ck_policy_hooks[of->hook].name;
  fill_slots(of, true);
  ck_vm_allow(policy->vm, measure_content(of));
  ck_status status = ck_vm_call(policy->vm, ask_body, of, err);
  fill_slots(of, false);
  if (of->hook == POLICY_redact)
    ck_sandbox_set_item(ck_vm_state(policy->vm), &(ck_sandbox_item){0});
  if (status == CK_OK) return CK_OK;
  if (!err) return status;
  size_t len = strlen(policy->file);
  bool has_place = strncmp(err->text, policy->file, len) == 0 && err->text[len] == ':';
  if (has_place || status == CK_E_NO_MEMORY) {
    ck_error_prefix(err, "policy \"%s\", %s", policy->name, hook);
  } else {
    ck_error_prefix(err, "policy \"%s\", %s: %s:%d", policy->name, hook, policy->file,
                    policy->lines[of->hook]);
  }
  return status;
}
