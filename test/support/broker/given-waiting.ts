import type { RunnerJobGroup } from "../../../shared/runner-job-types.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenRunner } from "../rows/given.ts";
import type { TestBroker } from "./broker.ts";
import { givenAgent, parked, type Polling, withoutScans } from "./given-polling.ts";

type Enqueued = { readonly id: string; readonly status: string };
type Groups = Partial<Record<RunnerJobGroup, number>>;

/** A runner with these slots, its control plane at the first broker, and agents that park polls; brokers do not scan. */
export async function givenWaiting(at: Polling, slots: Groups = { deploy: 20 }) {
  await withoutScans(at.brokers);
  const [here] = at.brokers;
  const runner = await givenRunner(at.db, { parallelism: slots });
  const token = await givenToken(at.db, { orgId: runner.orgId });
  const path = `POST /v1/runners/${runner.runnerId}/jobs`;
  return {
    here,
    runner,
    enqueue: (key?: string, broker: TestBroker = here) =>
      broker.call<Enqueued>(path, {
        token,
        body: { type: "noop-deploy", plan: { a: 1 } },
        headers: key === undefined ? {} : { "idempotency-key": key },
      }),
    enqueueBatch: (...types: string[]) =>
      here.call<{ jobs: Enqueued[] }>(`${path}/batch`, {
        token,
        body: { jobs: types.map((type) => ({ type })) },
      }),
    /** Parks the poll of an agent of its own, which nobody looks for any more when this resolves. */
    park: async ({
      groups = { deploy: 1 },
      broker = here,
      wait = "25s",
    }: { groups?: Record<string, number>; broker?: TestBroker; wait?: string } = {}) => {
      const agent = await givenAgent(at, { runner, serves: slots, at: broker });
      const answer = agent.claim({ groups, wait });
      await parked(broker, agent.processId);
      await broker.broker.polls.dispatcher.settled();
      const claimed = async () => (await answer).body.jobs;
      return {
        agent,
        answer,
        claimed,
        jobIds: async () => (await claimed()).map(({ job }) => job.id),
        /** A newer poll, for orders only, ends it. */
        end: async () => void (await agent.claim({ groups: {}, wait: "1ms" })),
      };
    },
  };
}
