import path from "node:path";
import { inject } from "vitest";

const folder = inject("programs");

/** The agent of the present sources as one file, built for this run: it starts in half the time that they do. */
export const agentProgram = path.join(folder, "svc-agent.mjs");

/** The same of the command line, which holds the broker too. */
export const svcProgram = path.join(folder, "svc.mjs");

/** Where Node keeps what it has compiled of the built programs: the next start of one costs a fifth less CPU. */
export const compileCache = path.join(folder, "compiled");

/** The entries themselves, for tests that they too can be started. */
const root = path.join(import.meta.dirname, "..", "..", "..");
export const agentSource = path.join(root, "agent", "main.ts");
export const svcSource = path.join(root, "cli", "main.ts");
