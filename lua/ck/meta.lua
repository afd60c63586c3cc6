--- What a policy can see and answer, as annotations for the Lua language server: point
--- workspace.library at this folder. `make generated` makes the marked regions from the C tables.
---@meta ck

-- generated: words
---@alias ck.BoundaryKind
---| "node_start"
---| "node_complete"
---| "edge_transition"
---| "loop_iteration"
---| "before_call"
---| "tool_round"
---| "round_complete"
---| "step_complete"
---| "safe_point"
---| "user_checkpoint"
---| "pause"
---| "failure"
---| "edit"
---| "final"
---@alias ck.EventKind
---| "session_started"
---| "session_resumed"
---| "session_paused"
---| "session_failed"
---| "session_completed"
---| "session_cancelled"
---| "session_forked"
---| "session_rewound"
---| "session_undone"
---| "message"
---| "intent"
---| "outcome"
---| "replay"
---| "resolution"
---| "divergence"
---| "rewind"
---| "boundary"
---| "policy_error"
---| "edit"
---| "delegation"
---| "pruned"
---| "update"
---| "constraint"
---| "saving"
---| "resume_refused"
---| "resume_approval"
---| "note"
---| "scrubbed"
---@alias ck.SessionStatus
---| "running"
---| "paused"
---| "waiting"
---| "in_doubt"
---| "failing"
---| "failed"
---| "completed"
---| "cancelled"
---@alias ck.EffectKind
---| "model"
---| "tool"
---| "exec"
---| "agent"
---| "sleep"
---| "ask"
---| "read"
---| "agent_tool"
---@alias ck.EffectClass
---| "pure"
---| "idempotent"
---| "reconcilable"
---| "once"
---@alias ck.Status
---| "CK_OK"
---| "CK_E_FAILED"
---| "CK_E_FLOW"
---| "CK_E_FLOW_STALLED"
---| "CK_E_DIVERGED"
---| "CK_E_CREDENTIALS"
---| "CK_E_REQUEST"
---| "CK_E_CONTEXT"
---| "CK_E_REFUSAL"
---| "CK_E_UNAVAILABLE"
---| "CK_E_LIMIT"
---| "CK_E_CANCELLED"
---| "CK_E_NO_MEMORY"
---| "CK_E_USAGE"
---| "CK_E_PARSE"
---| "CK_E_TYPE"
---| "CK_E_RANGE"
---| "CK_E_UNSUPPORTED"
---| "CK_E_NOT_FOUND"
---| "CK_E_SECRET_MISSING"
---| "CK_E_OTHER_KEY"
---| "CK_E_REFUSED"
---| "CK_E_EXISTS"
---| "CK_E_POLICY"
---| "CK_E_CORRUPT"
---| "CK_E_TRUNCATED"
---| "CK_E_EMPTY"
---| "CK_E_WRONG_KEY"
---| "CK_E_WRONG_SESSION"
---| "CK_E_OVERSIZE"
---| "CK_E_PAUSED"
---| "CK_E_WAITING"
---| "CK_E_IO"
---| "CK_E_FULL"
---| "CK_E_READ_ONLY"
---| "CK_E_BUSY"
---| "CK_E_NEWER"
---| "CK_E_NOT_A_STORE"
---| "CK_E_UNKNOWN"
---| "CK_E_LAPSED"
---| "CK_E_IN_DOUBT"
---| "CK_E_FENCED"
---| "CK_E_OWNED"
---| "CK_E_PENDING"
---| "CK_E_INTERRUPTED"
--- A key that redact is asked about. It begins with `memory.`, `outputs.`, `scratch.`, `ended.`, `position.`, `facts.`, `options.` or `files.`.
---@alias ck.ItemKey string
--- A key of the flow's own state. It begins with `memory.`, `outputs.` or `scratch.`.
---@alias ck.ChangedKey string
-- end

---@alias ck.Rule "continue"|"reset"|"refuse"
---@alias ck.Json nil|boolean|number|string|table

-- generated: views
--- A place where a checkpoint may be taken. Read-only; void after the call.
---@class ck.Boundary
---@field kind ck.BoundaryKind|nil  nil in `permit`, between boundaries
---@field scope string  the scope that reached it: `main`, `main.web`
---@field node string|nil  the node or step; nil: none
---@field agent string|nil  the acting agent; nil: none
---@field depth integer  of delegation; 0: top level
---@field seq integer  of the boundary's event
---@field now integer  ms since 1970; recorded, so that a simulation sees the same
---@field random number  from 0, below 1; recorded likewise
---@field latency_ms integer  ms since the node or turn began
---@field is_clean boolean  no retry or failure since the session began
---@field checkpoint_cost_ms number  ms that a checkpoint took in this store; 0: not yet known
---@field last_error string|nil  of the last failure; nil: none
---@field calls ck.Call[]|nil  what the model's answer calls, in its order, at a `before_call`; nil elsewhere
---@field message ck.Message|nil  the last of the scope's conversation that is no tool's result; nil: none
---@field tools ck.Call[]  the tools that ran in the scope since its last boundary, in the order of their ends
---@field model string|nil  the model that answered last in the scope since then, by the flow's name of it; nil: none did
---@field since ck.Since  what happened since the last checkpoint
---@field next ck.Next  what comes next, as far as the flow knows
---@field budget ck.Budget  of the session

--- What happened since the last checkpoint, or the start.
---@class ck.Since
---@field ms integer  ms of its run; of an imported session without its user's absence
---@field events integer  events recorded
---@field cost_usd number  dollars spent
---@field tokens integer  input and output tokens
---@field tool_calls integer  calls of tools that ended, also those that failed
---@field changed table<ck.ChangedKey, true>  keys of the state that got another value: `changed["memory.plan"]`; made at each access
---@field changed_keys integer  how many these are
---@field changed_bytes integer  bytes of the values that were written since then, the runtime's own included
---@field boundaries integer  boundaries reached, this one included (`permit` is at none); a `before_call` is part of a turn, and does not count
---@field iterations integer  of those `loop_iteration` and `tool_round`, this one included

--- What comes next, as far as the flow knows.
---@class ck.Next
---@field node string|nil  the next node; nil: not known, or none
---@field tool string|nil  the next tool, at a `before_call`, and where a custom flow names it
---@field class ck.EffectClass|nil  nil: not given

--- The session's budget, in dollars.
---@class ck.Budget
---@field spent number  dollars
---@field limit number|nil  `constraints.budget_usd`, or what `--limit` makes of it; nil: no limit
---@field left number|nil  dollars, not below 0; nil: no limit
---@field approaching boolean  80 % of the limit are spent

--- A checkpoint, without its state.
---@class ck.Checkpoint
---@field id string  its id
---@field kind ck.BoundaryKind  of its boundary
---@field seq integer  of its boundary's event
---@field parent integer  seq of the checkpoint that it follows; 0: none
---@field timeline integer  from 1; another one after a resume that left something behind
---@field created integer  ms since 1970
---@field is_clean boolean  no retry or failure before it, since the session began
---@field resumable boolean  a resume can go on from it
---@field is_keyframe boolean  its payload holds the whole state
---@field bytes integer  bytes as stored
---@field changed_keys integer  against its parent
---@field cost_usd number  dollars that the session had spent up to it
---@field node string|nil  the node or step
---@field next string|nil  the next node
---@field agent string|nil  the acting agent
---@field tool string|nil  the tool that comes next, as `at.next.tool` said
---@field description string  one line: `completed collector`
---@field reasons string[]  the texts of the policies that took it; none of who said yes without one
---@field policies string[]  the names of the policies that took it; none where it is always taken and none said yes
---@field age_ms integer  ms since `created`; not below 0

--- Something on its way to the store: a key of the state, or the body of an event.
---@class ck.Item
---@field key ck.ItemKey|nil  a key of the state, such as `memory.x`; nil: the body of an event
---@field kind ck.EventKind|nil  of the event; nil for a key
---@field agent string|nil  the acting agent of the event; nil: none, or a key
---@field value ck.Json  read anew at each access: keep it in a local

--- A session that is about to be resumed.
---@class ck.Session
---@field id string  its id
---@field status ck.SessionStatus  `running` also of one whose process died
---@field reason string|nil  why it is not running
---@field profile string  its name
---@field flow string|nil  path of the flow
---@field created integer  ms since 1970
---@field updated integer  ms since 1970
---@field now integer  ms since 1970
---@field cost_usd number  dollars spent
---@field tokens integer  input and output tokens
---@field model_calls integer  made so far
---@field tool_calls integer  made so far
---@field active_ms integer  ms that it was running
---@field utc_offset_s integer  seconds that the clock of who resumes is ahead of UTC: `(now // 1000 + utc_offset_s) // 3600 % 24` is the hour there
---@field flow_changed boolean  the flow's file is not that of the last run; goes on with `--accept-changed` alone
---@field models ck.ModelUse[]  what each agent asked models for so far, in the order of the first time, then models that the flow names and nobody has asked
---@field budget ck.SessionBudget  before the rules
---@field host ck.Host  the machine

--- What is left of a session's budget before the rules, in dollars.
---@class ck.SessionBudget
---@field spent number  dollars that count against the limit
---@field limit number|nil  `constraints.budget_usd`, or what `--limit` makes of it; nil: no limit
---@field left number|nil  dollars, not below 0; nil: no limit

--- The machine that a session is resumed on.
---@class ck.Host
---@field now string|nil  its name; nil: resumed by a program of its own
---@field was string|nil  the name of that of the last run; nil: not known
---@field same boolean|nil  both are equal; nil: one is not known

--- An event of the transcript.
---@class ck.Event
---@field seq integer  its number in the transcript
---@field at integer  ms since 1970
---@field kind ck.EventKind  `message`, `intent`, `outcome`, `delegation`, `note`, …
---@field scope string  where it happened: `main`, `main.web`
---@field agent string|nil  the acting agent
---@field body table  read anew at each access: keep it in a local

--- An effect that could not be carried out.
---@class ck.Failure
---@field node string|nil  nil: not known
---@field agent string|nil  the acting agent; nil: none
---@field key string  of the effect: `main/plan#1/exec/1`
---@field status ck.Status  the class of the error: `CK_E_UNAVAILABLE`, `CK_E_NOT_FOUND`, `CK_E_CREDENTIALS`, …
---@field error string|nil  one line
---@field kind ck.EffectKind
---@field tool string|nil  the tool that was called; nil: it was no call of one
---@field attempt integer  from 1, of the effect; tries at once have the same
---@field try integer  from 1, of this attempt in this run; no "retry" is followed after the third
---@field retry_after integer|nil  ms that the service asks to wait; nil: it does not say

--- An effect that is about to begin, or that was begun and whose outcome is not known.
---@class ck.Effect
---@field scope string  where it happens: `main`, `main.web`
---@field key string  `main/plan#1/exec/1`
---@field kind ck.EffectKind
---@field class ck.EffectClass
---@field agent string|nil  the acting agent
---@field attempt integer  from 1
---@field tool string|nil  the tool that is called; nil: it is no call of one
---@field arguments ck.Json|nil  of a tool's call; nil: it is none; read anew at each access
---@field reserve_usd number|nil  dollars, the most that it may cost; 0: nothing; nil: not known
---@field untrusted string[]  the sources that are not trusted whose content is in the agent's context; none: empty
---@field request ck.Json  all that is requested; read anew at each access: keep it in a local
-- end

-- generated: plain
--- A call of a model's answer that has not been made yet, or of a tool that ran.
---@class ck.Call
---@field tool string
---@field class ck.EffectClass|nil  nil: it is a function of the flow, or no such tool
---@field id string|nil  as the model gave it

--- The last message of a scope that is no tool's result.
---@class ck.Message
---@field role string  "assistant", "user", "system", …
---@field length integer  bytes of its text, as it is stored
---@field text string|nil  that text, where the profile has `message_text`; nil: it has not
---@field calls ck.Call[]|nil  what it calls; nil: nothing

--- What an agent asked models for under one name of the flow.
---@class ck.ModelUse
---@field agent string|nil  nil: no agent of a name, or nobody has asked yet
---@field name string  as the flow calls it
---@field was string|nil  its name at the provider when it was asked last; nil: not known
---@field now string|nil  its name at the provider now; nil: the profile has none
-- end

--- All checkpoints of a session, oldest first.
---@class ck.History
---@field now integer               ms of wall time
---@field [integer] ck.Checkpoint

---@class ck.Decision
---@field reason string|nil         one line of at most 256 bytes
---@field durability "sync"|"async"|nil

---@class ck.Plan
---@field drop string[]|nil         ids
---@field keep string[]|nil

---@class ck.Rules
---@field budget ck.Rule|nil
---@field time ck.Rule|nil
---@field rounds ck.Rule|nil
---@field tokens ck.Rule|nil
---@field tool_calls ck.Rule|nil
---@field model_calls ck.Rule|nil
---@field refuse string|nil         why the resume is refused: what ck.refuse makes
---@field ask string|nil            what a person is asked before it: what ck.ask makes

---@class ck.Permission
---@field deny string|nil           why it is not to be done: what ck.deny makes
---@field ask string|nil            what a person is asked: what ck.ask makes

--- { "retry", wait_ms = 2000 }: the first element is the word.
---@class ck.Retry
---@field [integer] "retry"
---@field wait_ms integer|nil       from 0 to a day

--- ck.drop, ck.mask or what ck.ref makes.
---@class ck.Verdict

-- generated: hooks
---@alias ck.hook.checkpoint fun(at: ck.Boundary, opt: table): nil|boolean|string|ck.Decision
---@alias ck.hook.prune fun(history: ck.History, opt: table): ck.Plan|nil
---@alias ck.hook.redact fun(item: ck.Item, opt: table): ck.Verdict|ck.Json|nil
---@alias ck.hook.resume fun(session: ck.Session, checkpoint: ck.Checkpoint|nil, opt: table): ck.Rules|nil
---@alias ck.hook.tail fun(event: ck.Event, agent: string, opt: table): boolean|nil
---@alias ck.hook.on_failure fun(failure: ck.Failure, at: nil, opt: table): nil|"pause"|"retry"|"fail"|"fallback"|ck.Retry
---@alias ck.hook.in_doubt fun(effect: ck.Effect, opt: table): nil|"stop"|"rerun"|"tell"
---@alias ck.hook.permit fun(effect: ck.Effect, at: ck.Boundary, opt: table): nil|"allow"|ck.Permission
---@alias ck.hook.migrate fun(document: table, from: integer, to: integer, opt: table): table|nil

--- What a policy's file returns. All but name and version may be left out; other keys are errors.
---@class ck.Policy
---@field name string
---@field version integer
---@field options table|nil  their defaults; a profile overrides them
---@field allowed table<string, string[]|number[]>|nil  words, { least } or { least, most }
---@field check nil|fun(opt: table): string|nil  what is wrong with the options
---@field ranges table<string, any[]>|nil  what `policy tune` may set them to
---@field checkpoint nil|ck.hook.checkpoint
---@field prune nil|ck.hook.prune
---@field redact nil|ck.hook.redact
---@field resume nil|ck.hook.resume
---@field tail nil|ck.hook.tail
---@field on_failure nil|ck.hook.on_failure
---@field in_doubt nil|ck.hook.in_doubt
---@field permit nil|ck.hook.permit
---@field migrate nil|ck.hook.migrate
-- end

--- What ckrun adds to Lua.
---@class ck
ck = {}

--- JSON's null.
ck.null = nil ---@type userdata
--- The item is not written at all.
ck.drop = nil ---@type ck.Verdict
--- As an answer: a placeholder with the kind is written in the item's place. As a function: the
--- value with what a PCRE2 pattern (4,096 bytes at most), or a text of a list, matches in its texts
--- replaced by placeholders; those that are there stay. A list is searched in one pass. Of the item
--- itself: its value so, or nil where a list finds nothing in it.
---@generic T
---@param value T|ck.Item
---@param what string|string[]
---@param how { words: boolean|nil, case: boolean|nil }|nil  of a list: whole words, as they are spelt
---@return T
function ck.mask(value, what, how) end

---@alias ck.Personal "email"|"phone"|"card"|"iban"|"passport"|"national_id"

--- The value with what tells who somebody is replaced by placeholders in its texts, by form and
--- check digits. Of the item itself: its value so, by its own name, or nil where nothing is found.
---@generic T
---@param value T|ck.Item
---@param kinds ck.Personal[]|nil  nil: all
---@param name string|nil          what the value is called: "phone_number"
---@return T
function ck.mask_personal(value, kinds, name) end

--- A reference is written in the item's place; a resume fills it again from the environment.
---@param name string "env:NAME"
---@return ck.Verdict
function ck.ref(name) end

--- A resume hook's no.
---@param why string
---@return ck.Rules
function ck.refuse(why) end

--- A permit hook's no: what the model gets as the call's result, and a node as its error.
---@param why string
---@return ck.Permission
function ck.deny(why) end

--- The question of a permit or resume hook: a person says whether the effect may begin, or the
--- session go on.
---@param question string
---@return ck.Permission|ck.Rules
function ck.ask(question) end

--- Marks a table as a JSON array, also when it is empty.
---@param list table
---@return table list
function ck.array(list) end

--- The first match of a PCRE2 pattern: where it begins and ends (in bytes, from 1), and its groups.
---@param text string
---@param pattern string
---@param init integer|nil
---@return integer|nil first, integer|nil last, string|nil ...
function ck.find(text, pattern, init) end

--- The groups of the first match, or the whole match when there are none.
---@param text string
---@param pattern string
---@param init integer|nil
---@return string|nil ...
function ck.match(text, pattern, init) end

--- Each match in turn.
---@param text string
---@param pattern string
---@return fun(): string|nil, ...
function ck.gmatch(text, pattern) end

--- Replaces matches. In a text, $0 is the match, $1 and ${10} are groups, $$ is a dollar; false and
--- nil keep the match.
---@param text string
---@param pattern string
---@param replacement string|table|fun(...: string|nil): string|false|nil
---@param most integer|nil
---@return string text, integer count
function ck.gsub(text, pattern, replacement, most) end
