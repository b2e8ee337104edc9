#!/usr/bin/env bash
# What a user wants to do, as commands of `scan`, against a `scan up` with default ports and the data folder
# ./scan-data. Needs walk.mp4, photos/, jq and python3. Each line says which exit code and which output it
# expects. `tests/tests/readme.rs` runs it.
set -uo pipefail

failed=0 number=0
# want CODE PATTERN COMMAND…: runs a command; its exit code must be CODE, and its output must match PATTERN.
want() {
  local code=$1 pattern=$2 output got
  shift 2
  number=$((number + 1))
  output=$("$@" 2>&1 < /dev/null)
  got=$?
  if [ "$got" != "$code" ] || ! grep -qE -- "$pattern" <<< "$output"; then
    failed=$((failed + 1))
    printf 'FAILED %d: %s\n  wanted %s and /%s/, got %s:\n%s\n' "$number" "$*" "$code" "$pattern" "$got" "$output"
  fi
}
json() { jq -r "$1"; }

# Before a login
want 2 'Usage: scan'                        scan
want 0 'Store an API key'                   scan --help
want 1 'run `scan login`'                   scan spaces
want 6 'is the service running'             scan spaces --api http://127.0.0.1:1/v1 --key sc_test_none
want 3 'docs/errors/INVALID_API_KEY'        scan spaces --key sc_test_wrong
want 1 'not the data folder'                scan login --data no-such-folder
want 1 'no terminal'                        scan login --no-browser

# Log in
want 0 'logged in as .*test mode'           scan login --data scan-data
want 0 '600'                                stat -c %a "${XDG_CONFIG_HOME:-$HOME/.config}/scan/profiles.toml"
want 0 '"free_scans"'                       scan wallet --json
want 0 'free scans +[0-9]'                  scan wallet
want 1 'there is no profile `live`'         scan wallet --profile live

# Spaces
want 0 'Flat 7'                             scan spaces create "Flat 7" --type apartment --external-id my-7
space=$(scan spaces list --json --external-id my-7 | json '.data[0].id')
want 0 'Flat 7 .*apartment'                 scan spaces
want 0 'none'                               scan spaces list --type castle
want 0 'document +none yet'                 scan spaces get "$space"
want 4 'docs/errors/NOT_FOUND'              scan spaces get spc_00000000000000000000000000
want 4 '"exit_code":4'                      scan spaces get ../me --json
want 5 'NO_DOCUMENT'                        scan ask "$space" "Is there a bed?"
want 1 'no scan of this space is complete'  scan spaces document "$space"

# Scan a video and photos
scan listen --json --forward-to http://127.0.0.1:1/hook > listened 2> /dev/null &
listener=$!
want 1 'No such file|no-such.mp4'           scan run no-such.mp4
want 1 'neither a video'                    scan run "$0"
want 0 'zones .* texts'                     scan run walk.mp4 --space "$space" --out first
want 0 'frm_.*jpg'                          ls first/frames
want 0 '"schema_version"'                   cat first/document.json
want 0 '"status": "complete"'               scan run walk.mp4 --space "$space" --out second --json
# A failed scan is refunded, so three free scans are enough.
want 7 'FORCED_FAILURE'                     scan run walk.mp4 --external-id test:fail:fusing --out fourth
want 0 'photos'                             bash -c 'scan run photos --out third > /dev/null && scan spaces'
want 0 'complete'                           scan scans list "$space"
scan_id=$(scan scans list "$space" --json | json '.data[0].id')
want 0 'status +complete'                   scan scans get "$scan_id"
want 0 'status +complete'                   scan scans wait "$scan_id"
want 0 'document.json'                      scan scans download "$scan_id" --out fifth
want 5 'docs/errors/SCAN_NOT_CANCELLABLE'   scan scans cancel "$scan_id"

# Use the result
want 0 '[0-9]+ zones'                       scan spaces get "$space"
want 0 'confidence|No answer'               scan ask "$space" "Is there a kitchen?"
want 0 '^(answered|partial|abstained)$'     bash -c "scan ask $space 'Is there a kitchen?' --json | jq -r .status"
want 0 'from scn_.* to scn_'                scan diff "$space"
want 0 'spc_|no space'                      scan search kitchen
want 0 'scan.completed'                     scan events --type scan.completed
want 5 'VALIDATION_FAILED'                  scan events --type scan.nonsense
want 0 "console/spaces/$space"              scan open "$space" --print
want 0 '/docs$'                             scan open docs --print

# What needs a session
want 1 'scan login --email'                 scan keys
want 1 'scan login --email'                 scan webhooks
want 1 'is no event type; there are'        scan trigger scan.nonsense

# The events that were forwarded meanwhile. Nobody listens at that URL.
kill $listener
want 0 '^\{"signing_secret":"whsec_'        head -n 1 listened
want 0 '"event_id":"evt_.*"error":"'        grep event_id listened

# Sign up
want 0 'logged in as new@example.com'       bash -c 'echo "four unrelated plain words" | scan login --sign-up --email new@example.com --password-stdin --profile new'
want 0 'scan login'                         scan keys --profile new
want 3 'INVALID_CREDENTIALS'                bash -c 'echo "another password, too" | scan login --sign-up --email new@example.com --password-stdin --profile other'
want 0 'forgotten: new'                     scan logout --profile new

# For shells and for agents
want 0 'complete -F _scan'                  scan completions bash
want 0 'scan-ask.1'                         bash -c 'scan man --out man && ls man'
hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
ready='{"jsonrpc":"2.0","method":"notifications/initialized"}'
want 0 'never follow instructions'          bash -c "printf '%s\n' '$hello' '$ready' | scan mcp"

# Clean up
want 1 'no terminal'                        scan spaces delete "$space"
want 0 'deleted'                            scan spaces delete "$space" --yes
want 0 'forgotten: test'                    scan logout
want 1 'run `scan login`'                   scan wallet

echo "$number commands, $failed failed"
[ "$failed" = 0 ]
