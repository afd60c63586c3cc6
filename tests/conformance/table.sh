#!/bin/bash
# table.sh - the table of the cases in tests/README.md, made of their headers.
#   table.sh           prints it
#   table.sh --write   writes it into tests/README.md
here=$(cd "$(dirname "$0")" && pwd)

# A line for each case: what its header says behind "promise", "attack" and "figure".
table() {
  echo "| case | promise | attack | figure |"
  echo "|---|---|---|---|"
  awk '
    FNR == 1 { if (NR > 1) print_row(); split("", said); part = "" }
    FNR > 1 && match($0, /^# [a-z]+: /) {
      part = substr($0, 3, RLENGTH - 4)
      said[part] = substr($0, RLENGTH + 1)
      next
    }
    part && /^#   / { said[part] = said[part] " " substr($0, 5); next }
    FNR > 2 { part = "" }
    function print_row() {
      printf "| `%s` | %s | %s | %s |\n", name, said["promise"], said["attack"], said["figure"]
    }
    FNR == 2 { name = $2; sub(/\.sh$/, "", name) }
    END { print_row() }' "$here"/cases/*.sh
}

# README with the table between its two marks.
page() {
  awk -v begin='<!-- conformance: made by tests/conformance/table.sh -->' -v end='<!-- end -->' '
    NR == FNR { text = text $0 "\n"; next }
    $0 == end { skip = 0 }
    !skip
    $0 == begin { printf "%s", text; skip = 1 }' <(table) "$here/../README.md"
}

case ${1:-} in
  --write) page >"$here/README.new" && mv "$here/README.new" "$here/../README.md" ;;
  --page) page ;;
  *) table ;;
esac
