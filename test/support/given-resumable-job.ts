import { readFile } from "node:fs/promises";
import path from "node:path";
import { clusterJobs } from "../../agent/handlers/cluster-jobs/cluster-jobs.ts";
import type { Job, JobFacts, JobWork, Plan } from "../../agent/jobs/handler.ts";
import type { Namespace } from "./cluster/given-namespace.ts";
import { testFolder } from "./folder.ts";

type Resumable = {
  /** As the handler has it; its `deadlineAtMs` may be set. */
  readonly job: Job & { deadlineAtMs: number };
  /** What was done once, by its key: whatever is taken out is done again. */
  readonly done: Map<string, unknown>;
  readonly said: string[];
  /** The work anew, as after a restart of the agent. */
  readonly work: () => JobWork;
};

let nth = 0;

/**
 * A job-deploy with these members of its plan's `job`, in this process and without a broker: it can be executed again from
 * any moment on, as an agent does that was killed there.
 */
export async function givenResumableJob(
  at: Namespace,
  members: object,
  after: (key: string, job: Resumable["job"]) => void = () => {},
): Promise<Resumable> {
  const folder = await testFolder(0o700);
  const done = new Map<string, unknown>();
  const said: string[] = [];
  const facts = { id: "job_1", operation: "exec", execution_count: 1 } as JobFacts; // all that is read
  const cluster_info = { kube_config: await readFile(at.kubeconfig, "utf8") };
  const plan: Plan = {
    job: { cluster_info, namespace: at.name, image_url: "registry.example/app", ...members },
  };
  const stop = new AbortController();
  const job = {
    facts,
    plan,
    executionId: `exe_${process.pid}x${nth++}`,
    deadlineAtMs: Date.now() + 36_000_000,
    signal: stop.signal,
    hurry: new AbortController().signal,
    host: { config: { env: process.env }, networkEnv: {} },
    place: {
      workspace: path.join(folder, "w"),
      secrets: folder,
      kept: folder,
      owner: undefined,
      env: {},
    },
    say: (text: string) => void said.push(text),
    hide: () => {},
    shown: (text: string) => text,
    pipe: async (_: unknown, output: AsyncIterable<unknown>) => {
      for await (const _chunk of output);
    },
    once: async (key: string, act: () => Promise<unknown>) => {
      if (!done.has(key)) done.set(key, await act());
      after(key, job);
      return done.get(key);
    },
  } as unknown as Resumable["job"]; // all that a job-deploy looks at
  return { job, done, said, work: () => clusterJobs.validate(plan, facts) };
}
