import type { Db } from "../../broker/database/connect.ts";
import { send } from "../../test/support/broker/broker.ts";
import { givenFleet } from "./given-fleet.ts";

const group = "deploy";
const atOnce = 100;

export type LargeJobs = {
  readonly reader: {
    readonly runnerId: string;
    readonly processId: string;
    readonly token: string;
    readonly adminToken: string;
  };
  /** Paths of executions that have no result yet. */
  readonly uploads: readonly string[];
  /** The path of a plan of 15 MB. */
  readonly plan: string;
};

type Claimed = { jobs: { job: { id: string }; execution: { id: string } }[] };

/** An org with a runner, a hundred executions under way, and a job with a plan of 15 MB that is not claimed. */
export async function givenLargeJobs(db: Db, url: string): Promise<LargeJobs> {
  const { adminToken, agents } = await givenFleet(db, 1, atOnce);
  const [agent] = agents;
  if (agent === undefined) throw new Error("there is no runner");
  const runner = `/v1/runners/${agent.runnerId}`;
  const jobs = Array.from({ length: atOnce }, () => ({ type: "noop-deploy" }));
  await send(url, `POST ${runner}/jobs/batch`, { token: adminToken, body: { jobs } });
  const claimed = await send<Claimed>(url, `POST ${runner}/jobs/claim`, {
    token: agent.token,
    body: { process_id: agent.processId, poll_id: "bench", groups: { [group]: atOnce } },
  });
  const pad = "QUJD".repeat(3_750_000);
  const made = await send<{ id: string }>(url, `POST ${runner}/jobs`, {
    token: adminToken,
    body: { type: "terraform-deploy", plan: { apply_plan_contents: pad } },
  });
  if (made.status !== 201) throw new Error(`no large job: ${JSON.stringify(made.body)}`);
  return {
    reader: { ...agent, adminToken },
    uploads: claimed.body.jobs.map(
      ({ job, execution }) => `/v1/runner-jobs/${job.id}/executions/${execution.id}`,
    ),
    plan: `/v1/runner-jobs/${made.body.id}/plan`,
  };
}
