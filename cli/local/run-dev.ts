import path from "node:path";
import { defineCommand } from "../command.ts";
import { readWhole } from "../read-flags.ts";
import { UsageError } from "../usage-error.ts";

const mostPort = 65_535;

export const runDev = defineCommand({
  name: "dev",
  summary: "Run a broker with everything it needs, for development: npm start.",
  details:
    "An embedded Postgres (or that of DATABASE_URL), its migrations, a broker and, at the first start, an org, a " +
    "runner and tokens. Ctrl-C stops it within 5 s; all is kept for the next start.",
  isLocal: true,
  flags: {
    port: {
      value: "PORT",
      summary: "The port to listen on; 8420, unless told. 0 takes a free one.",
    },
    "data-dir": {
      value: "DIR",
      summary: "Where it keeps everything; the project's .svc/, unless told.",
    },
    reset: { summary: "Erase what an earlier start kept, tokens too." },
    json: { summary: "Print one line of JSON when ready, and nothing else on standard output." },
  },
  examples: [
    { does: "the usual way", run: "npm start" },
    { does: "for a program", run: "svc dev --json --port 0 --data-dir /tmp/svc" },
  ],
  run: async ({ flags, config, screen }) => {
    const port = readWhole("--port", flags.port);
    if (port !== undefined && port > mostPort) throw new UsageError("--port must be 0 to 65535.");
    const dataDir =
      flags["data-dir"] === undefined ? config.dataDir : path.resolve(flags["data-dir"]);
    if (flags.reset && config.databaseUrl !== undefined) {
      throw new UsageError(
        "--reset erases the embedded Postgres only; DATABASE_URL names another.",
      );
    }
    const { startDev } = await import("./start-dev.ts");
    const isReset = flags.reset;
    return await startDev({ port, dataDir, isReset, isJson: flags.json, config, screen });
  },
});
