import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { pause, untilAborted } from "../client/pause.ts";
import { writeAtomically } from "../files/atomic-file.ts";
import type { Job } from "../jobs/handler.ts";
import type { Cluster } from "../kubernetes/cluster.ts";
import { containerOutput } from "./container-output.ts";
import type { JobLook } from "./judge-cluster-job.ts";
import type { PodLook } from "./judge-pod.ts";
import { logBeginning, type LogMark } from "./log-lines.ts";

/** Copies what the containers of a Job print into the log of the runner's job. */
export type LogFollower = {
  /** Starts to read containers that began since the last observation, and finishes those that ended. */
  readonly look: (look: JobLook) => void;
  /** Call it when nothing is printed any more. Resolves when all is read, soon after a stop, or after a limit. */
  readonly finish: (withinMs?: number) => Promise<void>;
};

const mostContainers = 40;
const afterStopMs = 5_000;

/** Follows the logs of a Job's pods in a namespace. An agent that adopts the job continues where this one was. */
export function followLogs(job: Job, cluster: Cluster, namespace: string): LogFollower {
  const readings = new Map<string, { readonly ended: AbortController; done: Promise<void> }>();
  const cut = new AbortController();

  function begin(pod: PodLook, container: string): { ended: AbortController; done: Promise<void> } {
    const ended = new AbortController();
    const read = async (): Promise<void> => {
      const run = `pod ${pod.uid} ${container}`;
      const file = path.join(job.directories.agentOnly, `log-${pod.uid}-${container}`);
      const words = `The log of ${container} in pod ${pod.name} is incomplete`;
      const output = containerOutput(cluster, {
        namespace,
        pod: pod.name,
        container,
        ended: ended.signal,
        signal: cut.signal,
        from: await readMark(file),
        keep: markKeeper(file),
        onTrouble: (why) => job.log(`${words}: ${why}.`, "warn", container, `log ${run}`),
      });
      await job.pipe({ step: container, run }, output);
    };
    return { ended, done: read() };
  }

  function look({ pods }: JobLook): void {
    for (const pod of pods) {
      for (const { name, hasBegun, hasEnded } of pod.containers) {
        const key = `${pod.uid} ${name}`;
        if (!hasBegun && !readings.has(key)) continue;
        if (!readings.has(key) && readings.size >= mostContainers) {
          const words = `Only the logs of ${mostContainers} containers are followed.`;
          job.log(words, "warn", "", "most-containers");
          continue;
        }
        const reading = readings.get(key) ?? begin(pod, name);
        readings.set(key, reading);
        if (hasEnded || pod.phase === "Unknown") reading.ended.abort();
      }
    }
  }

  return {
    look,
    finish: async (withinMs) => {
      for (const { ended } of readings.values()) ended.abort();
      const all = Promise.all([...readings.values()].map(({ done }) => done));
      await Promise.race([all, withinMs === undefined ? afterStop(job.signal) : pause(withinMs)]);
      cut.abort();
      await all;
    },
  };
}

async function afterStop(signal: AbortSignal): Promise<void> {
  await untilAborted(signal);
  await pause(afterStopMs);
}

const storedMark = z.object({ offset: z.number(), time: z.string(), same: z.number() });

async function readMark(file: string): Promise<LogMark> {
  try {
    return storedMark.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return logBeginning; // everything is read again, and lines that the log has are skipped
  }
}

/** One write at a time; of those that wait only the newest is written. */
function markKeeper(file: string): (mark: LogMark) => void {
  let next: LogMark | undefined;
  let isWriting = false;
  const writeAll = async (): Promise<void> => {
    isWriting = true;
    for (let mark = next; mark !== undefined; mark = next) {
      next = undefined;
      await writeAtomically(file, { text: JSON.stringify(mark) }).catch(() => {}); // an older position serves as well
    }
    isWriting = false;
  };
  return (mark) => {
    next = mark;
    if (!isWriting) void writeAll();
  };
}
