import type { AgentCommand } from "./agent-command.ts";

/** Every command of svc-agent. */
export const agentCommands: readonly AgentCommand[] = [
  {
    name: "start",
    summary: "Takes jobs of a runner and does them, until it is told to go.",
    settings: "all",
    run: async (call) => (await import("./start.ts")).start(call),
  },
  {
    name: "status",
    summary: "Tells how the agent of a data directory is.",
    settings: ["data-dir"],
    flags: { json: { doc: "As JSON, for programs." } },
    run: async (call) => (await import("./status.ts")).status(call),
  },
  {
    name: "version",
    summary: "Tells the versions of the agent and of what it runs on.",
    settings: [],
    flags: { json: { doc: "As JSON, for programs." } },
    run: async (call) => (await import("./version.ts")).showVersion(call),
  },
];
