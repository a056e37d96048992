import { setTimeout as sleep } from "node:timers/promises";
import { listWithVariables } from "./list-processes.ts";
import { type ProcessIdentity, signalProcess } from "./process-identity.ts";

/** What a sweep did: how many processes it killed, and how many it could not. */
export type Swept = { readonly killed: number; readonly left: number };

const maxRounds = 200;
const giveUpAfterMs = 20_000;
/** From so many on they may fork faster than they are killed: first all are made to stand still. */
const crowd = 20;

/**
 * Kills every process that carries the execution's marker, and the step's if told, however it left its group,
 * until none is left. A process that hangs in the kernel is left after 20 s.
 */
export async function sweepMarked(executionId: string, step?: number): Promise<Swept> {
  const killed = new Set<string>();
  const giveUpAtMs = performance.now() + giveUpAfterMs;
  let left: ProcessIdentity[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    left = await findMarked(executionId, step);
    if (left.length === 0 || performance.now() > giveUpAtMs) break;
    if (left.length >= crowd) await holdStill(executionId, step);
    for (const marked of left.length >= crowd ? await findMarked(executionId, step) : left) {
      if (signalProcess(marked, "SIGKILL")) killed.add(`${marked.pid} ${marked.startTime}`);
    }
    await sleep(Math.min(2 ** round, 100));
  }
  return { killed: killed.size, left: left.length };
}

/** Every running process that carries the marker; this very process never counts. */
export async function findMarked(executionId: string, step?: number): Promise<ProcessIdentity[]> {
  const variables = [
    `SVC_AGENT_EXECUTION=${executionId}`,
    ...(step === undefined ? [] : [`SVC_AGENT_STEP=${step}`]),
  ];
  const marked: ProcessIdentity[] = [];
  for await (const stat of listWithVariables(variables)) {
    if (stat.pid !== process.pid) marked.push(stat);
  }
  return marked;
}

/** Stops them all until no new one shows itself: what stands still cannot fork. */
async function holdStill(executionId: string, step: number | undefined): Promise<void> {
  const still = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    const before = still.size;
    for (const marked of await findMarked(executionId, step)) {
      const name = `${marked.pid} ${marked.startTime}`;
      if (!still.has(name) && signalProcess(marked, "SIGSTOP")) still.add(name);
    }
    if (still.size === before) return;
  }
}
