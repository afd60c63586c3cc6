--- Where an MCP server is reached over HTTP: its url and headers, whose secrets have names only.

local check = require "ck.flow.check"

local remote = {}

--- The problem does not repeat the url: it may hold a secret.
function remote.url_rule(value)
  if type(value) ~= "string" then return "must be a text, not a " .. type(value) end
  if not ck.find(value, "^https?://[^/?#:\\s][^#\\s[:cntrl:]\"\\\\]*\\z") then
    return 'must be "https://HOST/…" or "http://HOST/…"'
  end
  if ck.find(value, "^https?://[^/?]*@") or ck.find(value, "\\?.*(key|token)=") then
    return "is no place for a credential: give it as 'key' or in 'headers', by the name of a secret"
  end
end

local OWN = { ["content-type"] = true, ["content-length"] = true, ["transfer-encoding"] = true,
  ["accept"] = true, ["last-event-id"] = true, ["host"] = true, ["mcp-session-id"] = true,
  ["mcp-protocol-version"] = true }

local function header_problem(name, value)
  if type(name) ~= "string" or not ck.find(name, "^[\\w!#$%&'*+.^`|~-]+\\z") then
    return ("takes names of headers as keys, not '%s'"):format(tostring(name))
  end
  if OWN[name:lower()] then return ("'%s' is ckrun's own"):format(name) end
  if type(value) == "string" then
    local odd = ck.find(value, "[[:cntrl:]]")
    return odd and ("'%s' has a line break or a control character"):format(name) or nil
  end
  if type(value) ~= "table" then
    return ("'%s' must be a text or { secret = NAME }"):format(name)
  end
  local problem = check.fields(("'%s'"):format(name), value, { secret = "string" })
  return problem or not value.secret and ("'%s' needs 'secret', its name"):format(name) or nil
end

--- A rule for ck.flow.check.
function remote.headers_rule(value)
  if type(value) ~= "table" then return "must be a table of NAME = text, not a " .. type(value) end
  for name, header in pairs(value) do
    local problem = header_problem(name, header)
    if problem then return problem end
  end
end

--- Threes, ordered by the headers' names.
---@return string[]|nil
function remote.list_headers(key, given)
  local names, list = {}, {}
  for name in pairs(given or {}) do names[#names + 1] = name end
  table.sort(names)
  if key then list = { "Authorization", "bearer", key } end
  for _, name in ipairs(names) do
    local header = given[name]
    local secret = type(header) == "table"
    list[#list + 1] = name
    list[#list + 1] = secret and "secret" or "text"
    list[#list + 1] = secret and header.secret or header
  end
  return list[1] and list or nil
end

--- What a flow.mcp or flow.acp must have, and must not have beside it.
function remote.place_problem(protocol, def)
  if protocol == "acp" then
    return not def.argv and "flow.acp needs 'argv', the program and its arguments"
  end
  if (def.argv == nil) == (def.url == nil) then
    return "flow.mcp needs 'argv', the program and its arguments, or 'url', one of the two"
  end
  if not def.url and (def.key or def.headers) then
    return "flow.mcp: 'key' and 'headers' are for a 'url'; a program gets variables, 'env'"
  end
  if def.url and def.env then return "flow.mcp: 'env' is for a program, 'argv'" end
end

return remote
