import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { TestBroker } from "../broker/broker.ts";
import { type ClaimedJob, httpAgent } from "../broker/http-agent.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenProcess, type GivenRunner } from "../rows/given.ts";
import { afterFile } from "../run/after-file.ts";
import { terraformLock } from "../workspaces/given-workspace.ts";

/** What of a job's plan the runner looks at. */
export type SeenPlan = {
  readonly apply_plan_contents?: string;
  readonly component_name?: string;
  /** Of an action. */
  readonly steps?: readonly unknown[];
  readonly terraform?: {
    readonly vars?: Readonly<Record<string, unknown>>;
    readonly terraform_backend?: { readonly workspaceID: string };
  };
};
type Given = {
  readonly db: Parameters<typeof givenProcess>[0];
  readonly brokers: readonly Pick<TestBroker, "call">[];
};
type How = {
  /** What a plan would change, by the name of its component; empty of the sandbox. */
  readonly changes?: (component: string) => number;
  readonly outputs?: (component: string, plan: SeenPlan) => Readonly<Record<string, unknown>>;
  readonly slots?: number;
  /** Whether its apply fails, half-way. */
  readonly fails?: (component: string) => boolean;
  /** Whether an apply that fails leaves its workspace locked. */
  readonly leavesLocks?: boolean;
};

/** A runner that plans and applies deploys and sandboxes as terraform would, without it, and says of actions that they ran; it works until the file is over. */
export async function givenApplier(
  { db, brokers: [broker] }: Given,
  runner: GivenRunner,
  {
    changes = () => 1,
    outputs = () => ({}),
    slots = 4,
    fails = () => false,
    leavesLocks,
  }: How = {},
) {
  if (broker === undefined) throw new Error("there is no broker");
  const processId = await givenProcess(db, runner, {
    serves: { actions: slots, deploy: slots, sandbox: slots, sync: slots },
  });
  const token = await givenToken(db, runner);
  const agent = httpAgent(broker.call, { ...runner, processId, token });
  const planned: { readonly component: string; readonly plan: SeenPlan }[] = [];
  const applied: {
    readonly component: string;
    readonly contents: string;
    readonly plan: SeenPlan;
  }[] = [];
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  const done = work();
  afterFile(async () => {
    stopped.abort();
    await Promise.all([done, ...running]);
  });

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      const free = slots - running.size;
      if (free === 0) {
        await Promise.race(running);
        continue;
      }
      const answer = await agent
        .claim({
          groups: { actions: free, deploy: free, sandbox: free, sync: free },
          wait: "1s",
        })
        .catch(() => undefined);
      if (answer?.status !== 200) return; // the broker is gone
      for (const claimed of answer.body.jobs) {
        const one = take(claimed).finally(() => running.delete(one));
        running.add(one);
      }
    }
  }

  async function take(claimed: ClaimedJob): Promise<void> {
    const plan = claimed.plan as SeenPlan;
    const { component_name: component = "", apply_plan_contents: contents, steps } = plan;
    const isAction = steps !== undefined;
    const isFailing = contents !== undefined && fails(component);
    await agent.report(claimed, "in-progress");
    if (contents !== undefined) applied.push({ component, contents, plan });
    else if (!isAction) planned.push({ component, plan });
    const { job, execution } = claimed;
    const isPlan = contents === undefined && !isAction;
    if (isFailing && leavesLocks === true) await lock(job.id, plan);
    const ended = await broker?.call(
      `POST /v1/runner-jobs/${job.id}/executions/${execution.id}/finish`,
      {
        token,
        body: {
          status: isFailing ? "failed" : "finished",
          result: isPlan ? planOf(job, changes(component)) : { success: !isFailing },
          ...(contents !== undefined && !isFailing && { outputs: outputs(component, plan) }),
        },
      },
    );
    if (ended?.status !== 200) throw new Error(`${job.id}: ${JSON.stringify(ended?.body)}`);
  }
  async function lock(jobId: string, { terraform }: SeenPlan): Promise<void> {
    const at = `/v1/terraform-workspaces/${terraform?.terraform_backend?.workspaceID ?? ""}/lock`;
    const locked = await broker?.call(`POST ${at}?job_id=${jobId}`, {
      token,
      body: terraformLock(),
    });
    if (locked?.status !== 200) throw new Error(`${jobId}: ${JSON.stringify(locked?.body)}`);
  }
  return { processId, planned, applied, runner };
}

/** A result as a planning job of terraform has it, or one of a cluster. */
function planOf({ id: jobId, type }: ClaimedJob["job"], add: number): object {
  if (type === "job-deploy") {
    const found = { version: 1, op: "apply", fingerprint: jobId, counts: { create: add } };
    const packed = gzipSync(JSON.stringify({ ...found, plan: "+ Job", content_diff: [] }));
    return { success: true, contents_compressed: packed.toString("base64") };
  }
  const contents = Buffer.from(`plan of ${jobId}`).toString("base64");
  const has = {
    has_changes: add > 0,
    has_drift: false,
    change: 0,
    destroy: 0,
    import: 0,
    forget: 0,
  };
  return {
    success: true,
    contents: JSON.stringify({ ...has, add, plan_sha256: hash("sha256", `plan of ${jobId}`) }),
    contents_compressed: contents,
  };
}
