--- The formats of texts in a JSON Schema that are checked, by their shape: those of
--- json-schema.org/draft/2020-12/json-schema-validation#section-7.3 that an expression can tell.

local formats = {}

local DATE = [[\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])]]
local MINUTES = [[(?:[01]\d|2[0-3]):[0-5]\d]]
local TIME = MINUTES .. [=[:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]]=] .. MINUTES .. ")"
local BYTE = [[(?:25[0-5]|2[0-4]\d|1?\d?\d)]]
local LABEL = [[[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?]]
local WORD = [[[0-9A-Fa-f]{1,4}]]

local patterns = {
  date = DATE,
  time = TIME,
  ["date-time"] = DATE .. "[Tt]" .. TIME,
  duration = [[P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?]],
  email = [[[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*]],
  hostname = "(?=.{1,253}$)" .. LABEL .. "(?:\\." .. LABEL .. ")*",
  ipv4 = BYTE .. "(?:\\." .. BYTE .. "){3}",
  ipv6 = "(?:(?:" .. WORD .. ":){7}" .. WORD .. "|(?!.*::.*::)(?=(?:[^:]*:){2,7}[^:]*$)"
    .. "(?:" .. WORD .. "(?::" .. WORD .. ")*)?::(?:" .. WORD .. "(?::" .. WORD .. ")*)?)",
  uuid = [[[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}]],
  uri = [[[A-Za-z][A-Za-z0-9+.-]*:\S*]],
}

formats.NAMES = "date, time, date-time, duration, email, hostname, ipv4, ipv6, uuid, uri"

function formats.is_known(name) return patterns[name] ~= nil end

--- Of one that is not known nothing is said.
function formats.fits(text, name)
  local pattern = patterns[name]
  return not pattern or ck.find(text, "\\A(?:" .. pattern .. ")\\z") ~= nil
end

return formats
