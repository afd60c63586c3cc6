--- Checkpoint at each kind of boundary that is enabled; by default around nodes, not at edges.

---@class ck.policy.EveryBoundary : ck.Policy
local policy = {
  name = "every_boundary",
  version = 1,
  options = {
    on_node_start = true,
    on_node_complete = true,
    on_edge = false,
    -- of loops and of agents' turns, tools or not; 0: loops are none of its business, tool rounds
    -- are on_tool_round's
    every_n_iterations = 0,
    on_tool_round = true,
    on_round_complete = true,
    on_step_complete = true,
    on_safe_point = true,
    on_failure = true,
    async = true, -- false: the flow waits until it is durable
  },
  allowed = { every_n_iterations = { 0 } },
}

local switches = {
  node_start = "on_node_start",
  node_complete = "on_node_complete",
  edge_transition = "on_edge",
  tool_round = "on_tool_round",
  round_complete = "on_round_complete",
  step_complete = "on_step_complete",
  safe_point = "on_safe_point",
  failure = "on_failure",
}

---@param at ck.Boundary
---@param opt table
---@return string|ck.Decision|nil
function policy.checkpoint(at, opt)
  local kind = at.kind
  local n, switch = opt.every_n_iterations, switches[kind]
  local wanted = switch and opt[switch]
  if n > 0 and (kind == "loop_iteration" or kind == "tool_round") then
    wanted = at.since.iterations >= n
  end
  if not wanted then return nil end
  return opt.async and kind or { reason = kind, durability = "sync" }
end

return policy
