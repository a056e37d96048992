import type { TestBroker } from "../broker/broker.ts";
import { type ClaimedJob, httpAgent } from "../broker/http-agent.ts";
import { givenToken } from "../rows/given-token.ts";
import { beat, givenProcess, givenRunner } from "../rows/given.ts";
import { afterFile } from "../run/after-file.ts";

type Org = {
  readonly db: Parameters<typeof givenProcess>[0];
  readonly orgId: NonNullable<Parameters<typeof givenRunner>[1]>["orgId"];
  readonly brokers: readonly TestBroker[];
};
export type BuildPlan = {
  readonly component_build_id: string;
  readonly dst_tag: string;
  readonly dst_registry: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;
/** How a job of a build ends. */
export type BuildEnd = {
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** What it failed by. */
  readonly failure?: {
    readonly class?: string;
    readonly reason?: string;
    readonly message: string;
  };
  /** It is left as it is. */
  readonly isHeld?: true;
};

/** A digest, made of one letter. */
export const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;

/** The org's own runner, and an agent of it that ends jobs of builds, and looks at images, as it is told until the file is over. */
export async function givenBuilder(org: Org, ends: (plan: BuildPlan, type: string) => BuildEnd) {
  const { db, orgId } = org;
  const [broker] = org.brokers as [TestBroker];
  const slots = { build: 10, sync: 10 };
  const runner = await givenRunner(db, { ...(orgId && { orgId }), parallelism: slots });
  await db`update runner_groups set type = 'org', owner_type = 'org' where id = ${runner.groupId}`;
  const processId = await givenProcess(db, runner, { serves: slots });
  const token = await givenToken(db, runner);
  const agent = httpAgent(broker.call, { ...runner, processId, token });
  const types: string[] = [];
  const held: ClaimedJob[] = [];
  const stopped = new AbortController();
  const released = Promise.withResolvers<void>();
  stopped.signal.addEventListener("abort", () => released.resolve());
  const done = work();
  afterFile(async () => {
    stopped.abort();
    await done;
  });
  return {
    runner,
    types,
    held,
    /** Ends a job that is held: its process has nothing of it any more. */
    release: async (claimed: ClaimedJob, ended: BuildEnd) => {
      await end(claimed, ended);
      await beat(db, [processId], []);
      released.resolve();
    },
  };

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      const answer = await agent
        .claim({ groups: { build: 5, sync: 5 }, wait: "1s" })
        .catch(() => undefined);
      if (answer?.status !== 200) return; // the broker is gone
      for (const claimed of answer.body.jobs) await take(claimed);
    }
  }

  async function take(claimed: ClaimedJob): Promise<void> {
    const { type } = claimed.job as unknown as { readonly type: string }; // as the API has it
    types.push(type);
    const told = ends(claimed.plan as BuildPlan, type); // as the broker made it
    await agent.report(claimed, "in-progress");
    if (told.isHeld !== true) return await end(claimed, told);
    held.push(claimed);
    await released.promise; // who holds a job asks for no other: a poll would say that it stopped
  }

  async function end(
    { job, execution }: ClaimedJob,
    { outputs = {}, failure }: BuildEnd,
  ): Promise<void> {
    await broker.call(`POST /v1/runner-jobs/${job.id}/executions/${execution.id}/finish`, {
      token,
      body: {
        status: failure === undefined ? "finished" : "failed",
        last_record: 0, // who follows its log waits for no more
        result: {
          success: failure === undefined,
          ...(failure && { error_metadata: failure }),
        },
        ...(failure ? { status_description: failure.message } : { outputs }),
      },
    });
  }
}
