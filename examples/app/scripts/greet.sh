#!/bin/sh
set -eu
echo "$GREETING, $AUDIENCE"
