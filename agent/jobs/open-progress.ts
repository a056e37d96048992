import type { z } from "zod";
import {
  mostSteps,
  reportProgressRoute,
  type StepInput,
} from "../../shared/api/execution-progress.ts";
import { pause } from "../client/pause.ts";
import type { Job } from "./handler.ts";

/** The progress of one resource. */
export type ResourceStep = {
  readonly address: string;
  /** create, update, delete, read … */
  readonly action: string;
  readonly status: "in-progress" | "finished" | "error";
};

/** Reports progress to the broker. Callers do not wait, and failures are ignored. */
export type Progress = {
  readonly tell: (step: ResourceStep) => void;
  /** Progress of a whole phase: "plan", "apply". */
  readonly phase: (name: string, status: StepInput["status"], detail?: string) => void;
};

type Waiting = z.input<
  (typeof reportProgressRoute.request.body.content)["application/json"]["schema"]
>["steps"][number];

const mostAtOnce = 200;
const giveUpAfterMs = 30_000;
/** Reports within this time are sent together. */
const gatherMs = 150;

/** Reports that wait are sent in one request; of several reports on the same step only the last is sent. */
export function openProgress(job: Job): Progress {
  const waiting = new Map<string, Waiting>();
  const known = new Set<string>();
  let isSending = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    while (waiting.size > 0) {
      await pause(gatherMs);
      const steps = [...waiting.values()].slice(0, mostAtOnce);
      for (const { name } of steps) waiting.delete(name);
      await send(job, steps);
    }
    isSending = false;
  };
  const put = (step: Waiting): void => {
    if (!known.has(step.name) && known.size >= mostSteps) return;
    known.add(step.name);
    waiting.set(step.name, step);
    if (!isSending) void sendAll();
  };
  return {
    tell: ({ address, action, status }) =>
      put({ name: nameOf(job, address), status, detail: action, ...timesOf(status) }),
    phase: (name, status, detail = "") => put({ name, status, detail, ...timesOf(status) }),
  };
}

const nameOf = (job: Job, address: string): string =>
  job.redact(address).slice(0, 200).toWellFormed();

function timesOf(status: Waiting["status"]): Pick<Waiting, "started_at" | "ended_at"> {
  const now = new Date().toISOString();
  return status === "in-progress" ? { started_at: now } : { ended_at: now };
}

async function send(job: Job, steps: Waiting[]): Promise<void> {
  const { agent, executionId, token } = job;
  const params = { job_id: job.info.id, execution_id: executionId };
  try {
    const how = { scope: "job", giveUpAfterMs, token } as const;
    await agent.client.call(reportProgressRoute, { params, body: { steps } }, how);
  } catch (error) {
    agent.log.debug({ err: error, execution_id: executionId }, "reporting progress failed");
  }
}
