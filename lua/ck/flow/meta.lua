--- What a flow is given as `ctx`, as annotations for the Lua language server: point workspace.library at the folder lua.
---@meta ck.flow.meta

---@alias ck.flow.EffectKind "model"|"tool"|"exec"|"agent"|"sleep"|"ask"
---@alias ck.flow.BoundaryKind
---| "node_start"
---| "node_complete"
---| "edge_transition"
---| "loop_iteration"
---| "tool_round"
---| "round_complete"
---| "step_complete"
---| "safe_point"
---| "user_checkpoint"

--- Keys of the state, such as ctx.memory.topic: what is read is read-only, and is changed by assigning the whole; nil removes it.
---@class ck.flow.Area
---@field [string] any
---@field append fun(self: ck.flow.Area, key: string, value: any)  to the list that the key holds

--- An outward action, and what may be done about it when its outcome is not known.
---@class ck.flow.Request
---@field kind ck.flow.EffectKind
---@field class ck.flow.class
---@field request table|string|nil  its fields by kind, or JSON text of an object, which is sent byte for byte
---@field agent string|nil          who acts
---@field ordinal integer|nil       of a tool call: its place in the message, from 1

---@class ck.flow.Outcome
---@field status "ok"|"error"|"ended"  ended: the recording has no more
---@field result any
---@field raw string|nil            the JSON of the result, byte for byte
---@field error string|nil
---@field cost_micros integer|nil
---@field input_tokens integer
---@field output_tokens integer

--- Where `run` goes on. Its path is new at each boundary: it tells the effects that follow from all others.
---@class ck.flow.Position
---@field path string
---@field [string] any

---@class ck.flow.At
---@field position ck.flow.Position
---@field node string|nil
---@field agent string|nil
---@field depth integer|nil
---@field next { node: string|nil, tool: string|nil, class: ck.flow.class|nil }|nil
---@field error string|nil          what went wrong before it: the boundary is not clean

---@class ck.flow.Child
---@field scope string              below the name of the scope that forks it
---@field task any                  given to it as ctx.task
---@field agent string|nil          who acts in it
---@field tag string|nil            tells its effects from those of other forks of the scope; nil: the place of the fork does

---@class ck.flow.Ended
---@field result any
---@field raw string|nil            the JSON of the result, byte for byte
---@field error string|nil
---@field status string|nil         the class of the error, "CK_E_FLOW"
---@field writes table<string, string|false>  key of the state -> JSON text, false when it removed it: what ctx.put takes

--- What outlives sessions, of everybody or of one agent. Both yield to the runtime.
---@class ck.flow.Facts
---@field get fun(key: string, agent: string|nil): any
---@field put fun(key: string, value: any, agent: string|nil)

--- Less of a ctx, for a function that must not do everything.
---@class ck.flow.Limits
---@field who string                named by what it raises
---@field effects boolean|nil       false: it can only read
---@field without string[]|nil      functions that it lacks
---@field memory string|nil         "read", or what is raised when it is used at all
---@field outputs string|nil        likewise

--- Marked with a star: it yields to the runtime, and what it gives is recorded.
---@class ck.flow.Context
---@field scope string              "main", or "main.web"
---@field task any                  of a child scope; nil: the main one
---@field input any                 of the session
---@field position ck.flow.Position|nil  where to go on; nil: from the top
---@field options table|nil         what the profile says to flows
---@field recorded_prompt string|nil  the system prompt of the recording
---@field memory ck.flow.Area
---@field outputs ck.flow.Area
---@field scratch ck.flow.Area      a pad for each agent
---@field rounds ck.flow.Area
---@field facts ck.flow.Facts
---@field effect fun(request: ck.flow.Request): ck.flow.Outcome  *
---@field effects fun(requests: ck.flow.Request[]): ck.flow.Outcome[]  * side by side
---@field boundary fun(kind: ck.flow.BoundaryKind, at: ck.flow.At)  *
---@field safe_point fun(name: string|nil, at: { position: ck.flow.Position })  *
---@field pause fun(reason: string)  *
---@field fork fun(children: ck.flow.Child[])  *
---@field join fun(scopes: string[]): table<string, ck.flow.Ended>  *
---@field join_any fun(scopes: string[]): table<string, ck.flow.Ended>  * as soon as one of them has ended
---@field now fun(): integer  *      ms since 1970
---@field random (fun(): number)|(fun(last: integer): integer)|(fun(first: integer, last: integer): integer)  *
---@field message fun(role: string|table, content: any)  adds one to the conversation
---@field last_message fun(): table|nil
---@field conversation_length fun(): integer
---@field tool_calls fun(message: string|table): table[]
---@field rewind fun(what: { to: integer, report: string, keep: integer|nil })
---@field event fun(kind: "delegation"|"note", body: table, agent: string|nil)
---@field parse fun(json: string): any, string|nil
---@field put fun(key: string, json: string|nil)  sets a key of the state to exactly these bytes; nil removes it
---@field written fun(): table<string, true>      the keys written since the last boundary
---@field discard fun()                           takes back what was written since the last boundary
---@field limit fun(limits: ck.flow.Limits): ck.flow.Context
