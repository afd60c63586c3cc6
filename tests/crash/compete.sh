# compete.sh - several processes resume one session at once. Sourced, over lib.sh.

# compete N: starts N resumes of $session; the tool of the one that wins waits for the file "hold",
# so that it lives until all the others have answered.
# Sets `won` and `owned`, how many exited 0 and 76, and `others`, the exit codes of the rest.
compete() {
  local n pid code left=$1
  local -A running=()
  won=0 owned=0 others=
  exec 9>hold
  flock 9
  for ((n = 1; n <= $1; n++)); do
    bounded "$CKRUN" --store "$store" resume "$session" >"out$n" 2>"err$n" 9>&- &
    running[$!]=1
  done
  while [ "$left" -gt 0 ]; do
    [ "$left" -gt 1 ] || flock -u 9
    wait -n -p pid "${!running[@]}"
    code=$?
    unset "running[$pid]"
    case $code in
      0) won=$((won + 1)) ;;
      76) owned=$((owned + 1)) ;;
      *) others="$others $code" ;;
    esac
    left=$((left - 1))
  done
  exec 9>&-
  rm -f hold
}
