#!/bin/sh
# With the kubectl of the runner's host.
set -eu
ready=$(kubectl --namespace care get deployment web --output jsonpath='{.status.readyReplicas}')
echo "ready: ${ready:-0}"
echo "ready=${ready:-0}" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
test "${ready:-0}" -gt 0
