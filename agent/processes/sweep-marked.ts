import { setTimeout as sleep } from "node:timers/promises";
import { listWithTraits } from "./list-processes.ts";
import { pauseBetweenLooks } from "./pause-between-looks.ts";
import { type ProcessIdentity, type ProcessStat, signalProcess } from "./process-identity.ts";

/** What a sweep did: how many processes it killed, and how many it could not. */
export type Swept = { readonly killed: number; readonly left: number };

const maxRounds = 200;
const giveUpAfterMs = 20_000;
/** From so many on they may fork faster than they are killed: first all are made to stand still. */
const crowd = 20;
const lookAgainMs = 100;

/**
 * Kills every process that carries the execution's marker, and the step's if told, however it left its group, and
 * every one of the leaders' sessions, until none is left. A process that hangs in the kernel is left after 20 s.
 */
export async function sweepMarked(
  executionId: string,
  step?: number,
  leaders: readonly ProcessIdentity[] = [],
): Promise<Swept> {
  const find = async (): Promise<ProcessStat[]> => await findMarked(executionId, step, leaders);
  const killed = new Set<string>();
  const giveUpAtMs = performance.now() + giveUpAfterMs;
  let left: ProcessIdentity[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      left = await find();
      if (left.length >= crowd) left = await holdStill(find);
      for (const one of left.filter((it) => signalProcess(it, "SIGKILL"))) killed.add(nameOf(one));
    } catch (error) {
      // Not for want of processes, but of file descriptors or memory: others will give some back.
      if (performance.now() > giveUpAtMs) throw error;
      left = [];
      await sleep(lookAgainMs);
      continue;
    }
    if (left.length === 0 || performance.now() > giveUpAtMs) break;
    await pauseBetweenLooks(round);
  }
  return { killed: killed.size, left: left.length };
}

/** Every running process that carries the marker, or is of a leader's session; this very process never counts. */
export async function findMarked(
  executionId: string,
  step?: number,
  leaders: readonly ProcessIdentity[] = [],
): Promise<ProcessStat[]> {
  const variables = [
    `SVC_AGENT_EXECUTION=${executionId}`,
    ...(step === undefined ? [] : [`SVC_AGENT_STEP=${step}`]),
  ];
  const marked: ProcessStat[] = [];
  for await (const stat of listWithTraits({ variables, leaders })) {
    if (stat.pid !== process.pid) marked.push(stat);
  }
  return marked;
}

/** Stops them all until no new one shows itself: what stands still cannot fork. */
async function holdStill(find: () => Promise<ProcessStat[]>): Promise<ProcessStat[]> {
  const still = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    const before = still.size;
    for (const marked of await find()) {
      if (!still.has(nameOf(marked)) && signalProcess(marked, "SIGSTOP")) still.add(nameOf(marked));
    }
    if (still.size === before) break;
  }
  return await find();
}

const nameOf = ({ pid, startTime }: ProcessIdentity): string => `${pid} ${startTime}`;
