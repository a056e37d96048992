import type { AgentContext } from "../agent-context.ts";
import { pause } from "../client/pause.ts";
import { makeRedactor } from "../logs/redactor.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import { fetchPlan } from "./fetch-plan.ts";
import { isRemote, workOf } from "./handler-registry.ts";
import { readStoredToken } from "./job-directories.ts";
import type { LazyJobLog } from "./lazy-job-log.ts";
import { openJob } from "./open-job.ts";
import { planSecrets } from "./plan-secrets.ts";
import type { SupervisedJob } from "./supervise-job.ts";

type Stopped = SupervisedJob & {
  readonly record: ExecutionRecord;
  /** Resolves when there is a broker. */
  readonly agent: Promise<AgentContext>;
};

const mostMs = 55_000;

/**
 * Removes what a job started outside of this host, when it was stopped while no agent ran and its handler is remote.
 * Never rejects: what cannot be removed is reported in the agent's log.
 */
export async function cleanUpRemote(stopped: Stopped): Promise<void> {
  const { local, stored, stop } = stopped;
  if (!isRemote(stored.job.type) || stored.is_simulated === true) return;
  const done = new AbortController();
  const late = pause(mostMs, stop.killSignal, done.signal);
  try {
    await Promise.race([clean(stopped, done.signal), late]);
  } catch (error) {
    const { execution_id } = stored;
    local.log.error({ err: error, execution_id }, "cleaning up a job outside of this host failed");
  } finally {
    done.abort();
  }
}

async function clean({ local, stored, stop, record, agent }: Stopped, over: AbortSignal) {
  const connected = await agent;
  const signal = AbortSignal.any([stop.killSignal, over]);
  const token = await readStoredToken(connected.runDir.path, stored.execution_id);
  const plan = await fetchPlan(connected, stored.job.id, { signal, token });
  const work = workOf(stored.job, plan);
  if (work.cleanup === undefined) return;
  const redactor = makeRedactor([...connected.secrets(), ...planSecrets(plan)]);
  const log: LazyJobLog = {
    write: (text) =>
      local.log.warn({ execution_id: stored.execution_id }, redactor.redactText(text)),
    pipe: async () => {},
    sendOff: () => {},
    lastError: () => undefined,
    close: async () => await Promise.resolve({ lastRecord: 0 }),
  };
  const open = openJob({ agent: connected, record, stop, redactor, log, plan, token });
  try {
    await open.openDirectories(work);
    await work.cleanup(open.job);
  } finally {
    await open.close();
  }
}
