--- What a policy can see and answer, as annotations for the Lua language server: point workspace.library at this folder.
---@meta ck

---@alias ck.BoundaryKind "node_start"|"node_complete"|"edge_transition"|"loop_iteration"|"tool_round"|"round_complete"|"step_complete"|"safe_point"|"user_checkpoint"|"pause"|"failure"|"edit"|"final"
---@alias ck.EventKind "session_started"|"session_resumed"|"session_paused"|"session_failed"|"session_completed"|"session_cancelled"|"session_forked"|"session_rewound"|"session_undone"|"message"|"intent"|"outcome"|"replay"|"resolution"|"divergence"|"rewind"|"boundary"|"policy_error"|"edit"|"delegation"|"pruned"|"update"|"constraint"|"saving"|"note"
---@alias ck.SessionStatus "running"|"paused"|"waiting"|"in_doubt"|"failing"|"failed"|"completed"|"cancelled"
---@alias ck.EffectKind "model"|"tool"|"exec"|"agent"|"sleep"|"ask"|"read"
---@alias ck.EffectClass "pure"|"idempotent"|"reconcilable"|"once"
---@alias ck.Rule "continue"|"reset"|"refuse"
---@alias ck.Json nil|boolean|number|string|table

--- A place where a checkpoint may be taken. Read-only; void after the call.
---@class ck.Boundary
---@field kind ck.BoundaryKind
---@field scope string              the strand that reached it
---@field node string|nil
---@field agent string|nil
---@field depth integer             of delegation; 0: top level
---@field seq integer
---@field now integer               ms of wall time; recorded, so that a simulation sees the same
---@field random number             0 to 1, recorded likewise
---@field latency_ms integer        since the node or turn began
---@field is_clean boolean          no retry or failure since the last checkpoint
---@field checkpoint_cost_ms number as measured in this store; 0: not yet
---@field last_error string|nil
---@field since ck.Since
---@field next ck.Next
---@field budget ck.Budget

--- What happened since the last checkpoint.
---@class ck.Since
---@field ms integer
---@field events integer
---@field cost_usd number
---@field tokens integer
---@field changed_keys integer
---@field changed_bytes integer
---@field boundaries integer        this one included
---@field iterations integer        boundaries of kind loop_iteration, this one included

--- What comes next, as far as the flow knows.
---@class ck.Next
---@field node string|nil
---@field tool string|nil
---@field class ck.EffectClass|nil

--- In dollars. `limit` and `left` are nil without a limit.
---@class ck.Budget
---@field spent number
---@field limit number|nil
---@field left number|nil
---@field approaching boolean       80 % of the limit are spent

---@class ck.Checkpoint
---@field id string
---@field kind ck.BoundaryKind
---@field seq integer
---@field parent integer            seq of the one it follows; 0: none
---@field timeline integer
---@field created integer           ms of wall time
---@field is_clean boolean
---@field resumable boolean
---@field is_keyframe boolean       its payload holds the whole state
---@field bytes integer             as stored
---@field changed_keys integer
---@field cost_usd number           spent by the session up to here
---@field node string|nil
---@field next string|nil
---@field agent string|nil
---@field description string|nil

--- All checkpoints of a session, oldest first.
---@class ck.History
---@field now integer               ms of wall time
---@field [integer] ck.Checkpoint

--- Something on its way to the store, a log or a terminal: a key of the state, or an event's body.
---@class ck.Item
---@field key string|nil            "memory.x"; nil: an event
---@field kind ck.EventKind|nil     of the event
---@field value ck.Json             read anew at each look: keep it in a local

--- A session that is about to be resumed.
---@class ck.Session
---@field id string
---@field status ck.SessionStatus
---@field reason string|nil         why it is not running
---@field profile string
---@field flow string|nil
---@field created integer           ms of wall time
---@field updated integer
---@field now integer
---@field cost_usd number
---@field tokens integer
---@field model_calls integer
---@field tool_calls integer
---@field active_ms integer         how long it was running

---@class ck.Event
---@field seq integer
---@field at integer                ms of wall time
---@field kind ck.EventKind
---@field scope string
---@field agent string|nil
---@field body table                read anew at each look: keep it in a local

--- An effect that could not be carried out.
---@class ck.Failure
---@field node string|nil
---@field key string                of the effect
---@field status string             "CK_E_IO", …
---@field error string|nil
---@field attempt integer

--- An effect that was begun and whose outcome is not known.
---@class ck.Effect
---@field scope string
---@field key string
---@field kind ck.EffectKind
---@field class ck.EffectClass
---@field agent string|nil
---@field attempt integer
---@field request ck.Json           read anew at each look: keep it in a local

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
---@field refuse string|nil         why the resume is refused: what ck.refuse makes

--- ck.drop, ck.mask or what ck.ref makes.
---@class ck.Verdict

--- What a policy's file returns. All but name and version may be left out; other keys are errors.
---@class ck.Policy
---@field name string
---@field version integer
---@field options table|nil         with their defaults; a profile overrides them
---@field checkpoint nil|fun(at: ck.Boundary, opt: table): nil|boolean|string|ck.Decision
---@field prune nil|fun(history: ck.History, opt: table): ck.Plan|nil
---@field redact nil|fun(item: ck.Item, opt: table): ck.Verdict|nil
---@field resume nil|fun(session: ck.Session, checkpoint: ck.Checkpoint|nil, opt: table): ck.Rules|nil
---@field tail nil|fun(event: ck.Event, agent: string, opt: table): boolean|nil
---@field on_failure nil|fun(failure: ck.Failure, at: nil, opt: table): nil|"retry"|"pause"|"fail"
---@field in_doubt nil|fun(effect: ck.Effect, opt: table): nil|"stop"|"rerun"|"tell"
---@field migrate nil|fun(doc: table, from: integer, to: integer, opt: table): table|nil

--- What ckrun adds to Lua.
---@class ck
ck = {}

--- JSON's null.
ck.null = nil ---@type userdata
--- The item is not written at all.
ck.drop = nil ---@type ck.Verdict
--- A placeholder that tells the kind is written in the item's place.
ck.mask = nil ---@type ck.Verdict

--- A reference is written in the item's place; a resume fills it again from the environment.
---@param name string "env:NAME"
---@return ck.Verdict
function ck.ref(name) end

--- A resume hook's no.
---@param why string
---@return ck.Rules
function ck.refuse(why) end

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

--- Replaces matches. In a text, $0 is the match, $1 and ${10} are groups, $$ is a dollar; false and nil keep what was there.
---@param text string
---@param pattern string
---@param replacement string|table|fun(...: string|nil): string|false|nil
---@param most integer|nil
---@return string text, integer count
function ck.gsub(text, pattern, replacement, most) end
