# number.sh - the number that a call of "count" is given, {"n": N} on standard input. Sourced.
read -r arguments
number=${arguments#*\"n\":}
number=${number# }
number=${number%%[!0-9]*}
