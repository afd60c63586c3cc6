#!/bin/bash
# two.t - two of the mutants, other ones with each commit, are killed by the tests that they name.
exec "$(dirname "$0")/run.sh" --turn 2
