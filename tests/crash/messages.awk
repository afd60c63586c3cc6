# messages.awk - the conversation out of `ckrun --json sessions log`: one message per line, replays
# as what they refer to.
function number_behind(name, at) {
  at = index($0, "\"" name "\":")
  return at ? substr($0, at + length(name) + 3) + 0 : 0
}
# A quote inside a string is escaped, so that this finds the member.
function message(at) {
  at = index($0, "{\"message\":")
  if (!at) at = index($0, ",\"message\":")
  return at ? substr($0, at + 11, length($0) - at - 12) : ""
}
# Behind the event's own members stands whether a later resume has left it behind.
/^[^{]*\{"ckrun_json":[0-9]+,"seq":[0-9]+,"timeline":[0-9]+,"kind":"(message|outcome|replay)"/ {
  abandoned = sub(/,"abandoned":true}$/, "}")
  sub(/,"abandoned":false}$/, "}")
  said[number_behind("seq")] = message()
  if (abandoned) next
  of = index($0, "\"kind\":\"replay\"") ? number_behind("of") : number_behind("seq")
  if (said[of] != "") print said[of]
}
