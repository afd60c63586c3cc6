#!/bin/sh
# check.sh - fails, and says where, unless fizzbuzz.sh prints what it should.
want='1 2 Fizz 4 Buzz Fizz 7 8 Fizz Buzz 11 Fizz 13 14 FizzBuzz'
got=$(sh fizzbuzz.sh | tr '\n' ' ' | sed 's/ $//')
[ "$got" = "$want" ] && exit 0
echo "it prints '$got' instead of '$want'" >&2
exit 1
