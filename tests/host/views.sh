# views.sh - what a person sees on a terminal, held to a file for each view. Sourced behind tap.sh.
# UPDATE_VIEWS=1 writes the files anew: look at what has changed.

build=$(cd "${CKRUN_BUILD:?the folder of the build}" && pwd)
terminal=$build/tests/host/print/tool_terminal
views=$root/tests/host/views

# screen COLUMNS ARGUMENTS…: what the terminal is sent. COLOR=1 with colours.
screen() {
  local columns=$1
  shift
  if [ "${COLOR:-}" ]; then
    NO_COLOR= TERM=xterm "$terminal" "$columns" "${at_clock[@]}" "$CKRUN" "$@"
  else
    TERM=xterm "$terminal" "$columns" "${at_clock[@]}" "$CKRUN" "$@"
  fi
}

# set_clock TIME: by the wall clock of what is shown from here on it is that time (UTC). 1: nothing
# here builds what does that.
at_clock=()
set_clock() {
  local library=$dir/set_clock.so
  "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -shared -fPIC -DSET_CLOCK_PRELOAD \
    "$root/tests/host/set_clock.c" -o "$library" 2>/dev/null || return 1
  at_clock=(env "CLOCK_AT=$(date -u -d "$1" +%s)" "LD_PRELOAD=$library"
    "ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0")
}

has_terminal() {
  "$terminal" 80 true >/dev/null 2>&1
  [ $? != 77 ]
}

# Random parts of ids, uuids, times and folders are none of the view, but their widths are; an age
# is of any width, unless a clock is set.
steady() {
  perl -pe '
    BEGIN { ($dir, $root, $clock) = (map({ quotemeta } @ARGV[0, 1]), $ARGV[2]); @ARGV = () }
    s/$dir/DIR/g; s/$root/ROOT/g;
    s/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/"u" x 36/ge;
    s/_\d{8}_\d{6}_/_YYYYMMDD_HHMMSS_/g;
    s/(\e\[\d+m|(?<![0-9a-z]))[0-9a-f]{8}(?![0-9a-z])/$1xxxxxxxx/g;
    s/AGE +REASON/AGE  REASON/;
    $clock or s/  (\e\[2m)?(just now|\d+ (min|h|days?) ago|\d{4}-\d\d-\d\d)(\e\[0m)? *(?=(.?))/
      "  " . ($1 \/\/ "") . "AGO" . ($4 \/\/ "") . ($5 eq "\n" || $5 eq "" ? "" : "  ")/e;
    s/\e/^[/g' "$dir" "$root" "${at_clock[*]}"
}

# Lines that are wider than the terminal, where characters without a width take none.
too_wide() {
  perl -CSD -ne 'BEGIN { $max = shift } chomp; s/\e\[[0-9;]*m|[\x{200b}-\x{200d}]//g;
    $n++ if length > $max;
    END { print $n + 0 }' "$1"
}

# What a terminal could take for a command, but the sequences of colours.
commands_in() { perl -ne 's/\e\[[0-9;]*m//g; $n += () = /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/g;
  END { print $n + 0 }'; }

plain() { perl -pe 's/\e\[[0-9;]*m//g'; }

# view NAME ARGUMENTS…: at 60, 80 and 120 columns, with colours and without.
view() {
  local name=$1 columns shown colored all=
  shift
  for columns in 60 80 120; do
    shown=$(screen $columns "$@")
    colored=$(COLOR=1 screen $columns "$@")
    is "$name: $columns columns are enough" "$(too_wide $columns <<<"$shown")" 0
    is "$name: no command for the terminal at $columns" "$(commands_in <<<"$colored")" 0
    is "$name: NO_COLOR at $columns has no colours" "$(tr -cd '\033' <<<"$shown")" ""
    is "$name: colours change no text at $columns" "$(plain <<<"$colored" | steady)" \
      "$(steady <<<"$shown")"
    all+="== $columns columns"$'\n'"$shown"$'\n'
    all+="== $columns columns, with colours"$'\n'"$colored"$'\n'
  done
  all=$(steady <<<"$all")
  [ ! "${UPDATE_VIEWS:-}" ] || printf '%s\n' "$all" >"$views/$name.txt"
  printf '%s\n' "$all" >"$dir/view"
  ok "$name: as it is kept" cmp -s "$dir/view" "$views/$name.txt" ||
    diff "$views/$name.txt" "$dir/view" | head -40 | sed 's/^/#   /' >&2
}
