import { defineCommand } from "../command.ts";

export const runBroker = defineCommand({
  name: "broker",
  summary: "Run one broker over the Postgres of DATABASE_URL; run as many as you like.",
  details:
    "All its settings come from the environment; docs/operations.md lists them. The schema must be current: see " +
    "svc migrate. SIGTERM drains and ends it within 25 s, a second one at once.",
  isLocal: true,
  examples: [
    {
      does: "a replica",
      run: "DATABASE_URL=postgres://svc@db/svc SVC_HOST=0.0.0.0 svc broker",
    },
  ],
  run: async () => {
    const broker = await import("../../broker/main.ts");
    await broker.runBroker();
  },
});
