--- What is wrong with a part of what is said to a model, before anybody is paid to read it.

local quote = require "ck.flow.quote"

local content_check = {}

local KNOWN = "text, image, file, image_url, document"
-- How each begins as base64; WebP has its length within.
local MARKS = { "iVBORw0KGgo", "/9j/", "R0lGODdh", "R0lGODlh", "JVBERi0" }
local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_ \r\n\t"
local FRONT = 64 -- of the data, whose whole is read when it is kept

local function text_in(value, field)
  local text = type(value) == "table" and value[field]
  return type(text) == "string" and text or nil
end

--- Data in line, and what is said of its type; nil: it is elsewhere.
local function data_of(part)
  local data = text_in(part, "data")
    or text_in(part.image_url, "url") or text_in(part.file, "file_data")
    or text_in(part.source, "type") == "base64" and text_in(part.source, "data") or nil
  local said = text_in(part, "media_type") or text_in(part, "mimeType")
    or text_in(part.source, "media_type")
  if not data then return nil end
  local comma = data:sub(1, 5) == "data:" and data:sub(1, 256):find(",", 1, true)
  if comma then
    local ends = data:sub(1, comma):find(";", 1, true) or comma
    return data:sub(comma + 1, comma + FRONT), said or data:sub(6, ends - 1)
  end
  if text_in(part.image_url, "url") then return nil end -- an address
  return data:sub(1, FRONT), said
end

local function is_marked(data)
  for _, mark in ipairs(MARKS) do
    if data:sub(1, #mark) == mark then return true end
  end
  return data:sub(1, 5) == "UklGR" and data:sub(12, 16) == "XRUJQ"
end

local function is_base64(data)
  for at = 1, #data do
    if not DIGITS:find(data:sub(at, at), 1, true) then return false end
  end
  return data ~= ""
end

local function shown(text) return quote(text:sub(1, 20)) end

local function data_problem(part)
  local data, said = data_of(part)
  if not data and part.digest and part.media_type == "application/octet-stream" then
    return "is a file, but its data is no PDF, nor is its media_type another"
  end
  if not data or is_marked(data) then return nil end
  if not is_base64(data) then
    return ("has data that is no base64 (%s)"):format(shown(data))
  end
  if part.type == "image" or part.type == "image_url" then
    return ("is an image, but its data is no PNG, JPEG, GIF or WebP (%s)"):format(shown(data))
  end
  if not said or said == "" or said == "application/pdf" then
    return ("is a file, but its data is no PDF, nor is its media_type another (%s)")
      :format(shown(data))
  end
end

--- Nil: nothing is.
---@param part string|table
---@return string|nil problem  goes on behind "part 2"
function content_check.problem(part)
  if type(part) == "string" then return nil end
  if part.type == "text" then
    return type(part.text) ~= "string" and "is a text without 'text'" or nil
  end
  if not (", " .. KNOWN .. ","):find(", " .. part.type .. ",", 1, true) then
    return ("has the type %s, which is none of %s"):format(shown(part.type), KNOWN)
  end
  return data_problem(part)
end

return content_check
