#!/bin/sh
# svc action run acme notice --env TEXT="Closed on Monday"
set -eu
kubectl --namespace care create configmap notice --from-literal=index.html="$TEXT" --dry-run=client --output yaml |
  kubectl --namespace care apply --filename -
