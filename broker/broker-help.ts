import { version } from "../shared/version.ts";

/** What svc-broker says of itself; most of what it takes is in the environment. */
export const brokerHelp = `svc-broker ${version}: one broker over the Postgres of DATABASE_URL.
Run as many as you like.

  svc-broker              Run it until SIGTERM. All its settings are environment
                          variables (docs/broker-settings.md).
  svc-broker --version    Show the version.

The schema must be current: "svc migrate up" brings it there.
`;
