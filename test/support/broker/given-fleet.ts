import { expect } from "vitest";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import { testDatabase, type TestDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { type GivenRunner, givenJob, givenRunner } from "../rows/given.ts";
import type { TestBroker } from "./broker.ts";
import { startBroker } from "./broker.ts";
import { until } from "./given-polling.ts";

/** A broker to which runners can be added. */
export type Fleet = {
  readonly db: TestDatabase["db"];
  readonly broker: TestBroker;
  readonly addRunner: (given?: Parameters<typeof givenRunner>[1]) => Promise<TestRunner>;
};

/** A runner, what its agent needs, and what its control plane would do. */
export type TestRunner = GivenRunner & {
  /** The runner's token. */
  readonly token: string;
  readonly operatorToken: string;
  readonly enqueue: (job?: Partial<NewJob>) => Promise<string>;
  readonly job: (jobId: string) => Promise<SeenJob>;
  /** Resolves when the job has the status. */
  readonly became: (jobId: string, status: string) => Promise<SeenJob>;
  readonly operate: (what: string, body?: object) => Promise<Record<string, unknown>>;
};

export type SeenJob = {
  readonly id: string;
  readonly status: string;
  readonly status_description: string;
  readonly outputs: Record<string, unknown> | null;
  readonly executions: readonly {
    readonly id: string;
    readonly status: string;
    readonly status_description: string;
    readonly runner_process_id: string;
  }[];
};

/** A database, and a broker over it that nothing limits. */
export async function givenFleet(settings: Readonly<Record<string, string>> = {}): Promise<Fleet> {
  const { db, url } = await testDatabase();
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", ...settings };
  const broker = await startBroker({ url, env });
  const addRunner: Fleet["addRunner"] = async (given) => {
    const runner = await givenRunner(db, given);
    const token = await givenToken(db, runner);
    const operatorToken = await givenToken(db, { orgId: runner.orgId });
    const job = async (jobId: string): Promise<SeenJob> => {
      const { body } = await broker.call<SeenJob>(`GET /v1/runner-jobs/${jobId}`, {
        token: operatorToken,
      });
      return body;
    };
    return {
      ...runner,
      token,
      operatorToken,
      job,
      enqueue: async (draft) => await givenJob(db, runner, { type: "noop", ...draft }),
      became: async (jobId, status) => {
        let seen = "";
        const isSo = async (): Promise<boolean> => (seen = (await job(jobId)).status) === status;
        await until(isSo).catch(() => expect(seen).toBe(status));
        return await job(jobId);
      },
      operate: async (what, body = {}) => {
        const answer = await broker.call(what, { token: operatorToken, body });
        if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
        return answer.body;
      },
    };
  };
  return { db, broker, addRunner };
}
