import path from "node:path";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../flags/read-flags.ts";

const mostPort = 65_535;

export const runDev = defineCommand({
  name: "dev",
  summary: "Run a broker, an agent and a database for development. Same as: npm start",
  details:
    "An embedded Postgres (or that of DATABASE_URL), its migrations, a broker, a registry for what builds make (or that of SVC_REGISTRY), two agents on this machine (one is the org's own, which builds) and, at the " +
    "first start, an org, two runners, tokens and a first job to see. Ctrl-C stops it within 5 s; all is kept for the " +
    "next start. Unlike other brokers it calls webhooks on this machine and its networks, unless SVC_EGRESS says otherwise.",
  isLocal: true,
  flags: {
    port: {
      value: "PORT",
      summary: "The port to listen on (default 8420). 0 picks a free port.",
    },
    "data-dir": {
      value: "DIR",
      summary: "The data directory (default: the project's .svc/).",
    },
    "no-agent": { summary: "Do not start the agents." },
    reset: { summary: "Delete all data of earlier starts first, including tokens." },
    json: { summary: "Print one line of JSON when ready, and nothing else on standard output." },
  },
  examples: [
    { does: "Start with npm.", run: "npm start" },
    { does: "Start for a program.", run: "svc dev --json --port 0 --data-dir /tmp/svc" },
  ],
  run: async ({ flags, config, screen }) => {
    const port = readWhole("--port", flags.port);
    if (port !== undefined && port > mostPort) throw new UsageError("--port must be 0 to 65535.");
    const dataDir =
      flags["data-dir"] === undefined ? config.dataDir : path.resolve(flags["data-dir"]);
    if (flags.reset && config.databaseUrl !== undefined) {
      throw new UsageError(
        "--reset only deletes the embedded Postgres. Unset DATABASE_URL to use it.",
      );
    }
    const { startDev } = await import("./start-dev.ts");
    const isReset = flags.reset;
    const hasAgent = !flags["no-agent"];
    return await startDev({ port, dataDir, isReset, isJson: flags.json, hasAgent, config, screen });
  },
});
