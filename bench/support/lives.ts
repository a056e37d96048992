import { type Answer, type Connection, requestText } from "../http-client.ts";
import type { FleetAgent } from "./given-fleet.ts";

/** A deploy plan as small ones are, about 600 bytes. */
export const plan = JSON.stringify({
  install_id: "ins_01",
  app_id: "app_01",
  app_config_id: "cfg_01",
  component_id: "cmp_01",
  component_name: "gateway",
  src_registry: { repository: "registry.example.com/gateway", username: "puller" },
  src_tag: "2026.11.1",
  noop: {
    lines: Array.from(
      { length: 6 },
      (_, n) => `a line of the plan, number ${n}, as long as lines are`,
    ),
  },
});

export const jobBody = `{"type":"noop-deploy","operation":"exec","owner_id":"own_1","owner_type":"installs","plan":${plan}}`;

export const finishBody =
  '{"status":"finished","result":{"success":true},"outputs":{"url":"https://example.com"}}';

export type LiveClient = {
  readonly connection: Connection;
  readonly agent: FleetAgent;
  readonly adminToken: string;
};

/** A job's whole life in four calls; throws when any of them is not answered as it should be. */
export async function liveOnce({ connection, agent, adminToken }: LiveClient): Promise<void> {
  const { runnerId, processId, token } = agent;
  expectStatus(
    await connection.send(requestText(`POST /v1/runners/${runnerId}/jobs`, adminToken, jobBody)),
    201,
  );
  const claim = await connection.send(
    requestText(
      `POST /v1/runners/${runnerId}/jobs/claim`,
      token,
      `{"process_id":"${processId}","poll_id":"${crypto.randomUUID()}","groups":{"deploy":1}}`,
    ),
  );
  const [path] = claimedPaths(claim);
  if (path === undefined) throw new Error(`nothing was claimed: ${claim.body}`);
  expectStatus(
    await connection.send(requestText(`PATCH ${path}`, token, '{"status":"in-progress"}')),
    200,
  );
  expectStatus(await connection.send(requestText(`POST ${path}/finish`, token, finishBody)), 200);
}

/** Where the claimed executions are reported on. */
export function claimedPaths(claim: Answer): string[] {
  expectStatus(claim, 200);
  const { jobs } = JSON.parse(claim.body) as {
    jobs: { job: { id: string }; execution: { id: string } }[];
  };
  return jobs.map(({ job, execution }) => `/v1/runner-jobs/${job.id}/executions/${execution.id}`);
}

/** Throws when an answer is not what it should be. */
export function expectStatus({ status, body }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(`answered ${status}: ${body.slice(0, 500)}`);
}
