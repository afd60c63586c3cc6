#!/bin/bash
# requests.t - what was asked of a session that workers have holds, in a file (requests.sh).
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
trust=()
. "$root/tests/host/worker/requests.sh"
finish
