import { setTimeout as sleep } from "node:timers/promises";
import { listWithTraits } from "./list-processes.ts";
import { pauseBetweenLooks } from "./pause-between-looks.ts";
import { type ProcessIdentity, type ProcessStat, signalProcess } from "./process-identity.ts";

/** The result of a sweep: how many processes it killed, and how many it could not. */
export type Swept = { readonly killed: number; readonly left: number };

const maxRounds = 200;
const giveUpAfterMs = 20_000;
/** From this many processes on they may fork faster than they are killed, so all are stopped first. */
const crowd = 20;
const lookAgainMs = 100;

/**
 * Kills all processes with the execution's marker (and the step's, if given), even if they left their process group,
 * and all of the leaders' sessions, until none is left. Gives up on processes that hang in the kernel after 20 s.
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
      // The check failed for want of file descriptors or memory, which others will free.
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

/** All running processes with the marker or in a leader's session, except this one. */
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

/** Stops them all until no new one appears: a stopped process cannot fork. */
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
