import { parentPort, workerData } from "node:worker_threads";
import { summarizeState } from "./summarize-state.ts";

// The thread's whole work: one text in, one summary out.
const port: { postMessage: (summary: unknown, transfer: []) => void } | null = parentPort;
port?.postMessage(summarizeState(String(workerData)), []);
