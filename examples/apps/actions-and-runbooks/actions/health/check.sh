#!/bin/sh
set -eu
curl --fail --silent --show-error "https://$DOMAIN/healthz"
