import { parentPort, workerData } from "node:worker_threads";
import { summarizeState } from "./summarize-state.ts";

// The thread's whole work: one text in, one summary out.
parentPort?.postMessage(summarizeState(String(workerData)));
