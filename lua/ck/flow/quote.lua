--- A text as JSON.

local function escape(byte, char)
  return byte < 0x20 and ("\\u%04x"):format(byte) or "\\" .. char
end

--- What needs no escape is copied as a whole.
---@param text string
---@return string json
return function(text)
  local parts, from = { '"' }, 1
  for at = 1, #text do
    local byte = text:byte(at)
    if byte < 0x20 or byte == 0x22 or byte == 0x5C then
      parts[#parts + 1] = text:sub(from, at - 1)
      parts[#parts + 1] = escape(byte, text:sub(at, at))
      from = at + 1
    end
  end
  parts[#parts + 1] = text:sub(from)
  parts[#parts + 1] = '"'
  return table.concat(parts)
end
