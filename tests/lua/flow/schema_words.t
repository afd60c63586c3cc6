#!/bin/bash
# schema_words.t - each word of a schema that an answer must satisfy is checked, or the schema is
# refused by that word before anything runs: none is passed over in silence.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# Each line: SCHEMA | a value that satisfies it | one that does not | what is wrong with that one.
cat >cases <<'END'
{"type":"string","minLength":2} | "äö" | "ä" | short: its length is 1, it must be at least 2
{"maxLength":2} | "äö" | "äöü" | answer is too long: its length is 3, it must be at most 2
{"pattern":"^a+$"} | "aa" | "ab" | does not match the pattern ^a+$
{"pattern":"b"} | "abc" | "ac" | does not match the pattern b
{"format":"date"} | "2026-02-28" | "2026-13-01" | is no date
{"format":"time"} | "23:59:60Z" | "24:00:00Z" | is no time
{"format":"date-time"} | "2026-02-28T01:02:03.5+02:00" | "2026-02-28 01:02" | is no date-time
{"format":"duration"} | "P1DT2H" | "P" | is no duration
{"format":"email"} | "a@b.example" | "a@b@c" | is no email
{"format":"hostname"} | "a-1.example" | "-a" | is no hostname
{"format":"ipv4"} | "10.0.0.255" | "10.0.0.256" | is no ipv4
{"format":"ipv6"} | "fe80::1" | "fe80::1::2" | is no ipv6
{"format":"ipv6"} | "1:2:3:4:5:6:7:8" | "1:2:3:4:5:6:7" | is no ipv6
{"format":"uuid"} | "0188d0a2-9c1e-7c4b-8f00-0123456789ab" | "0188d0a2" | is no uuid
{"format":"uri"} | "urn:x" | "not one" | is no uri
{"minimum":2} | 2 | 1 | answer is 1, out of its range: it must be at least 2
{"maximum":2} | 2 | 3 | is 3, out of its range: it must be at most 2
{"exclusiveMinimum":2} | 2.1 | 2 | is 2, out of its range: it must be more than 2
{"exclusiveMaximum":2} | 1 | 2 | is 2, out of its range: it must be less than 2
{"multipleOf":0.1} | 0.3 | 0.35 | is 0.35: it must be a multiple of 0.1
{"multipleOf":5} | -10 | 7 | is 7: it must be a multiple of 5
{"type":["integer","null"]} | null | "x" | must be of type integer or null
{"enum":[1,{"a":[1]}]} | {"a":[1]} | {"a":[2]} | is none of its enum: 1, {…}
{"enum":["S","a\"b",null,true,[1]]} | null | "s" | is none of its enum: "S", "a\"b", null, true, […]
{"enum":[1,2,3,4,5,6,7,8,9,10,11,12]} | 12 | 13 | enum: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]} | 14 | 0 | 10, 11, 12 and 2 more
{"enum":["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx€€"]} | - | 1 | xx…"
{"minItems":1} | [1] | [] | needs 1 elements at least
{"prefixItems":[true],"minItems":1} | [1] | [] | needs 1 elements at least
{"contains":{"minimum":5}} | [5] | [] | no element of those that it must contain
{"required":["a"]} | {"a":1} | {} | lacks 'a'
{"type":["array","null"],"minItems":1} | null | [] | needs 1 elements at least
{"type":["object","null"],"minItems":1} | {} | [1] | must be of type object or null
{"type":["array","object"],"minItems":1} | {} | - | -
{"type":["array","object"],"minItems":1,"required":["a"]} | {"a":1} | {} | lacks 'a'
{"type":"array","required":["a"]} | [] | - | -
{"const":{"a":1}} | {"a":1} | {"a":1,"b":2} | must be its const
{"minItems":2} | [1,2] | [1] | needs 2 elements at least
{"maxItems":1} | [1] | [1,2] | may have 1 elements at most
{"uniqueItems":true} | [1,2,{"a":1}] | [{"a":1},2,{"a":1}] | has the same element twice
{"uniqueItems":false} | [1,1] | - | -
{"items":{"type":"integer"}} | [1] | [1,"x"] | [1] must be of type integer
{"prefixItems":[{"type":"string"}],"items":{"minimum":1}} | ["x",1] | ["x",0] | [1] is 0, out of
{"prefixItems":[{"type":"string"}],"items":false} | ["x"] | ["x",1] | may have 1 elements at most
{"contains":{"const":1}} | [2,1] | [2] | has no element of those that it must contain
{"required":["a"]} | {"a":1} | {"b":1} | lacks 'a'
{"properties":{"a":{"type":"integer"}}} | {"a":1,"b":"x"} | {"a":"x"} | .a must be of type integer
{"additionalProperties":false,"properties":{"a":{}}} | {"a":1} | {"b":1} | must have no 'b'
{"additionalProperties":{"type":"integer"}} | {"b":1} | {"b":"x"} | .b must be of type integer
{"patternProperties":{"^n_":{"type":"integer"}}} | {"n_a":1,"a":"x"} | {"n_a":"x"} | .n_a must be of
{"patternProperties":{"^n_":{}},"additionalProperties":false} | {"n_a":1} | {"a":1} | no 'a'
{"propertyNames":{"pattern":"^[a-z]+$"}} | {"a":1} | {"A":1} | the name 'A' in
{"minProperties":1} | {"a":1} | {} | needs 1 members at least
{"maxProperties":1} | {"a":1} | {"a":1,"b":1} | may have 1 members at most
{"dependentRequired":{"a":["b"]}} | {"a":1,"b":1} | {"a":1} | has 'a' and lacks 'b'
{"anyOf":[{"type":"string"},{"minimum":3}]} | 3 | 2 | is 2, out of its range: it must be at least 3
{"oneOf":[{"minimum":1},{"maximum":5}]} | 6 | 3 | is more than one of its oneOf
{"oneOf":[{"type":"string"},{"type":"null"}]} | null | 3 | must be of type null
{"allOf":[{"minimum":1},{"maximum":5}]} | 3 | 6 | is 6, out of its range: it must be at most 5
{"not":{"type":"string"}} | 3 | "x" | is what it must not be
{"anyOf":[false,{"minimum":3}]} | 3 | 2 | is 2, out of its range: it must be at least 3
{"anyOf":[false,false]} | - | 1 | is not allowed
{"anyOf":[true,false]} | 1 | - | -
{"oneOf":[true,false,false]} | 1 | - | -
{"oneOf":[true,true,false]} | - | 1 | is more than one of its oneOf
{"oneOf":[false,false]} | - | 1 | is not allowed
{"allOf":[true,true]} | 1 | - | -
{"allOf":[true,false]} | - | 1 | is not allowed
{"not":false} | 1 | - | -
{"not":true} | - | 1 | is what it must not be
{"not":{}} | - | "x" | is what it must not be
{"contains":true} | [1] | - | -
{"type":"array","contains":true} | [1] | [] | has no element of those that it must contain
{"contains":false} | "not a list" | [1] | has no element of those that it must contain
{"type":"array","contains":false} | - | [] | has no element of those that it must contain
{"properties":{"a":true,"b":false}} | {"a":1} | {"a":1,"b":2} | .b is not allowed
{"properties":{"a":{"not":{}}}} | {"b":1} | {"a":1} | .a is what it must not be
{"patternProperties":{"^n_":true,"b":false}} | {"n_a":1} | {"n_b":1} | .n_b is not allowed
{"propertyNames":true} | {"a":1} | - | -
{"propertyNames":false} | {} | {"a":1} | the name 'a' in the answer is not allowed
{"additionalProperties":true} | {"a":1} | - | -
{"items":true} | [1,"x"] | - | -
{"items":false} | [] | [1] | may have 0 elements at most
{"prefixItems":[true,false]} | [1] | [1,"x"] | [1] is not allowed
{"prefixItems":[true],"items":{"not":false}} | [1,2] | - | -
{"enum":[false]} | false | 0 | is none of its enum
{"const":false} | false | 0 | must be false
true | {"a":[1,null]} | - | -
false | - | 1 | is not allowed
false | - | false | is not allowed
false | - | null | is not allowed
false | - | {} | is not allowed
false | - | [] | is not allowed
{"title":"t","description":"d","default":1,"examples":[1],"x-mine":1,"$comment":"c"} | 1 | - | -
END
perl -MJSON::PP -ne 'chomp; my @c = split / \| /; push @all, { schema => $c[0], good => $c[1],
  bad => $c[2], wrong => $c[3] }; END { print JSON::PP->new->allow_nonref->encode(\@all) }' \
  cases >cases.json
cat >words.lua <<'END'
local schema = require "ck.flow.schema"
local rule = require "ck.flow.schema_rule"
return require("ck.flow").custom { run = function(ctx)
  local told, count = {}, 0
  local function tell(case, what)
    told[#told + 1] = ("%s: %s"):format(case.schema, what)
  end
  for _, case in ipairs(ctx.input) do
    local given = ctx.parse(case.schema)
    local refused = rule({ type = "object", properties = { a = given } })
    local good = case.good ~= "-" and schema.problem(given, ctx.parse(case.good))
    count = count + 1
    if refused then tell(case, "refused: " .. refused) end
    if good then tell(case, "not satisfied: " .. good) end
    local bad = case.bad ~= "-" and (schema.problem(given, ctx.parse(case.bad)) or "nothing")
    if bad and not bad:find(case.wrong, 1, true) then tell(case, "instead: " .. bad) end
  end
  return { count = count, told = table.concat(told, "\n") }
end }
END
run --json run words.lua --input @cases.json
is "each word of a schema is checked" "$(json "$out" '$d->{result}{told}')" ""
is "all of them" "$(json "$out" '$d->{result}{count}')" "$(grep -c '' cases)"

# refused SCHEMA WHAT: of the type object, in Lua.
refused_schema() {
  echo "return require 'ck.flow'.agent { prompt = 'x', schema = { type = 'object', $1 } }" >bad.lua
  run run bad.lua --input '"Go."'
  is "$1 is refused before anything runs" "$code" 2
  has "and named" "$err" "'schema' $2"
}
refused_schema 'properties = { a = { minLenght = 2 } }' 'has schema.properties.a.minLenght, which'
refused_schema '["if"] = {}' 'has schema.if, which would not be checked'
refused_schema 'unevaluatedProperties = false' 'has schema.unevaluatedProperties, which'
refused_schema 'items = { ["$ref"] = "x" }' "has a '\$ref', which is not understood"
refused_schema 'properties = { a = { pattern = "(" } }' \
  'has schema.properties.a.pattern, where a regular expression is expected'
refused_schema 'patternProperties = { ["("] = {} }' 'has schema.patternProperties, where a regular'
refused_schema 'properties = { a = { format = "iban" } }' 'has schema.properties.a.format, where'
refused_schema 'properties = { a = { type = "strnig" } }' 'has schema.properties.a.type, where the'
refused_schema 'properties = { a = { minItems = "2" } }' \
  'has schema.properties.a.minItems, where a number is expected'
refused_schema 'properties = 5' 'has schema.properties, where a table is expected'
refused_schema 'properties = { "a" }' 'has schema.properties, where a table with names is expected'
refused_schema 'patternProperties = true' 'has schema.patternProperties, where a table is expected'
refused_schema 'anyOf = 5' 'has schema.anyOf, where a list of schemas is expected'
refused_schema 'anyOf = {}' 'has schema.anyOf, where a list of schemas is expected'
refused_schema 'oneOf = { a = { type = "null" } }' 'has schema.oneOf, where a list of schemas is'
refused_schema 'allOf = { true, 5 }' 'has schema.allOf.2, where a schema is expected'
refused_schema 'prefixItems = "x"' 'has schema.prefixItems, where a list of schemas is expected'
refused_schema 'required = { a = true }' 'has schema.required, where a list of names is expected'
refused_schema 'required = true' 'has schema.required, where a list of names is expected'
refused_schema 'dependentRequired = { a = "b" }' \
  'has schema.dependentRequired.a, where a list of names is expected'
refused_schema 'enum = { a = 1 }' 'has schema.enum, where a list is expected'
refused_schema 'multipleOf = 0' 'has schema.multipleOf, where a number above 0 is expected'
refused_schema 'properties = { a = 5 }' 'has schema.properties.a, where a schema is expected'
finish
