# rooms.awk - reads rooms.txt into allowed[room, room or header] and known[room]; for test_layers.t
# and test_rooms.t.
function room(path) { sub(/\/[^\/]*$/, "", path); return path }
function read_rooms(table, line, part, use, more, count, i, j) {
  while ((getline line <table) > 0) {
    if (line !~ /^(core|lua|[A-Z])/) continue
    split(line, part, ":")
    count = split(part[2], use, " ")
    known[part[1]] = allowed[part[1], part[1]] = 1
    for (i = 1; i <= count; i++) {
      if (use[i] in group) {
        for (j = split(group[use[i]], more, " "); j; j--) allowed[part[1], more[j]] = 1
      } else allowed[part[1], use[i]] = 1
    }
    if (line ~ /^[A-Z]/) group[part[1]] = expand(part[2])
  }
}
function expand(list, use, count, i, all) {
  count = split(list, use, " ")
  for (i = 1; i <= count; i++) all = all " " (use[i] in group ? group[use[i]] : use[i])
  return all
}
# Everything outside of core/host is below it.
function may_use(from, to) {
  return allowed[from, to] || (allowed[from, "below"] && to !~ /^core\/host/)
}
