import type { ClaimedJob } from "../../../agent/running-job.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import type { Fleet, TestRunner } from "./given-fleet.ts";

/** A claimed job as the broker hands it out, to a process that binds its plans and then keeps still. */
export async function claimOverHttp(
  { broker }: Fleet,
  { runnerId, token }: TestRunner,
): Promise<ClaimedJob> {
  const path = `/v1/runners/${runnerId}`;
  const groups = { actions: 1 };
  const made = await broker.call<{ id: string; secret: string }>(`POST ${path}/processes`, {
    token,
    body: { type: "install", version: "1", groups, binds_plans: true },
  });
  const { id: process_id, secret } = made.body;
  const { body } = await broker.call<{ jobs: ClaimedJob[] }>(`POST ${path}/jobs/claim`, {
    token,
    headers: { [processSecretHeader]: secret },
    body: { process_id, poll_id: crypto.randomUUID(), groups, wait: "20s" },
  });
  const [job] = body.jobs;
  if (job === undefined) throw new Error("no job was claimed");
  return job;
}
