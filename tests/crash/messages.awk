# messages.awk - the conversation out of `ckrun --json sessions log`: one message per line, replays as what they refer to.
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
/^[^{]*\{"seq":[0-9]+,"timeline":[0-9]+,"abandoned":[a-z]+,"kind":"(message|outcome|replay)"/ {
  said[number_behind("seq")] = message()
  if (index($0, "\"abandoned\":true")) next
  of = index($0, "\"kind\":\"replay\"") ? number_behind("of") : number_behind("seq")
  if (said[of] != "") print said[of]
}
