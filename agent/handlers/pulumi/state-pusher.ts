import { stat } from "node:fs/promises";
import { rescueStateRoute } from "../../../shared/api/rescued-states.ts";
import { writePulumiStateRoute } from "../../../shared/api/terraform-state.ts";
import { Refused } from "../../client/broker-errors.ts";
import { pause } from "../../client/pause.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { digestOfState, readStateFile } from "./state-file.ts";

/** Where the state is in the end: in the workspace, at the broker as a rescued state, or on this host. */
export type Saved = "saved" | "at-broker" | "on-host";

/** Sends the state of a stack to the broker while it changes. */
export type StatePusher = {
  /** Sends no more. */
  readonly stop: () => void;
  /** Sends what is there now, however long the broker is away, within bounds; from then on nothing more is sent. */
  readonly finish: () => Promise<Saved>;
};

type Known = { sent: string; seen: string; isRefused: boolean };

const lookEveryMs = 2_000;
const onceMs = 30_000;
const patienceMs = 60_000;

/**
 * Sends each new state of the job's backend until `finish`. The broker takes it only on the revision that the job began with, and
 * on those that the job itself has written since.
 */
export function pushWhileItChanges(context: PulumiContext): StatePusher {
  const ending = new AbortController();
  const known: Known = { sent: context.stateDigest, seen: "", isRefused: false };
  const pushing = pushOn(context, known, ending.signal);
  const stop = (): void => ending.abort();
  return {
    stop,
    finish: async () => {
      stop();
      await pushing;
      return await pushLast(context, known);
    },
  };
}

async function pushOn(context: PulumiContext, known: Known, signal: AbortSignal): Promise<void> {
  const { job, files } = context;
  // What is there at the beginning came from the broker, or from an earlier process of the agent.
  while (!signal.aborted) {
    await pause(lookEveryMs, signal).catch(() => {});
    if (signal.aborted || known.isRefused) return;
    const look = await stat(files.state).catch(() => undefined);
    const seen = look === undefined ? "" : `${look.mtimeMs} ${look.size} ${look.ino}`;
    if (seen === known.seen) continue;
    try {
      await push(context, known, { isOnce: true, timeoutMs: onceMs });
      known.seen = seen;
    } catch (error) {
      known.isRefused = error instanceof Refused;
      const told = { err: error, execution_id: job.executionId };
      job.agent.log.warn(told, "a state could not be sent while it changes");
    }
  }
}

type How = { readonly isOnce?: true; readonly timeoutMs: number; readonly giveUpAfterMs?: number };

async function push(context: PulumiContext, known: Known, how: How): Promise<void> {
  const { job, run, stateRevision } = context;
  const bytes = await readStateFile(context.files.state, job.directories.owner);
  const digest = digestOfState(bytes);
  if (digest === known.sent) return;
  const { token } = job;
  await job.agent.client.call(
    writePulumiStateRoute,
    {
      params: { workspace_id: run.workspaceId },
      query: { job_id: job.info.id },
      headers: {
        "content-type": "application/octet-stream",
        "content-md5": digest,
        "if-match": `"${stateRevision}"`,
      },
    },
    { scope: "job", signal: job.killSignal, token, bytes, ...how },
  );
  known.sent = digest;
}

async function pushLast(context: PulumiContext, known: Known): Promise<Saved> {
  const { job, run } = context;
  const { rescued, client, log } = job.agent;
  try {
    await push(context, known, { timeoutMs: patienceMs, giveUpAfterMs: patienceMs });
    return "saved";
  } catch (error) {
    const told = { err: error, execution_id: job.executionId };
    log.warn(told, "the broker did not take the last state of a job");
  }
  const bytes = await readStateFile(context.files.state, job.directories.owner);
  const ids = { workspace_id: run.workspaceId, job_id: job.info.id };
  await rescued.put({ ...ids, execution_id: job.executionId, bytes });
  const input = { params: { workspace_id: run.workspaceId }, query: { job_id: job.info.id } };
  const { token } = job;
  try {
    const how = {
      scope: "job",
      giveUpAfterMs: onceMs,
      signal: job.killSignal,
      token,
      bytes,
    } as const;
    await client.call(rescueStateRoute, input, how);
    await rescued.remove(job.executionId);
    return "at-broker";
  } catch (error) {
    log.warn({ err: error, execution_id: job.executionId }, "a state waits here for the broker");
    return "on-host";
  }
}
