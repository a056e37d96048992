import { defineCommand } from "../command.ts";

export const runBroker = defineCommand({
  name: "broker",
  summary: "Run a broker on the Postgres in DATABASE_URL. Any number can run at once.",
  details:
    "All its settings come from the environment; docs/broker-settings.md lists them. The schema must be current: see " +
    "svc migrate. SIGTERM drains and ends it within 25 s, a second one at once.",
  isLocal: true,
  examples: [
    {
      does: "Run a replica.",
      run: "DATABASE_URL=postgres://svc@db/svc SVC_HOST=0.0.0.0 svc broker",
    },
  ],
  run: async () => {
    const broker = await import("../../broker/main.ts");
    await broker.runBroker();
  },
});
