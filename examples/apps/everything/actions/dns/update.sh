#!/bin/sh
set -eu
echo "updates $DOMAIN"
