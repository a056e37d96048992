import { send } from "../test/support/broker/broker.ts";
import type { Abuse } from "./support/abuser.ts";
import type { Bench } from "./support/bench.ts";
import { givenFleet } from "./support/given-fleet.ts";
import { givenLargeJobs, type LargeJobs } from "./support/given-large-jobs.ts";
import { runAbuse } from "./support/run-abuse.ts";
import { withStage } from "./support/stage.ts";

/** A broker as it is set up by itself: its limits are what is looked at. */
const usual = { SVC_RATE_TOKEN_PER_S: "200", SVC_RATE_ORG_PER_S: "2000" };

/** All that one org can do to another at once, for `--seconds 600`: large bodies, floods, contention, parked polls. */
export const abuse: Bench = {
  what: "one org does its worst, with --seconds 600 as a soak: another org's latency, the broker's memory",
  run: async ({ seconds }, tell) => {
    await withStage(async (stage) => {
      const neighbour = await givenFleet(stage.db, 1, 100);
      const broker = await stage.startBroker(usual);
      const large = await givenLargeJobs(stage.db, broker.url);
      const chart = await send<{ id: string }>(broker.url, "POST /v1/helm-charts", {
        token: large.reader.adminToken,
        body: { owner_id: "ins_1", owner_type: "installs" },
      });
      const abuses = abusesOf(broker.url, large, chart.body.id);
      await runAbuse({ broker, neighbour, abuses, seconds }, tell);
    });
  },
};

function abusesOf(url: string, { reader, uploads, plan }: LargeJobs, chartId: string): Abuse[] {
  const { adminToken, token, runnerId, processId } = reader;
  const runner = `${url}/v1/runners/${runnerId}`;
  const record = `${url}/v1/helm-releases/${chartId}/releases/default/sh.helm.release.v1.a.v1`;
  const logs = uploads.slice(0, 1).map((path) => `lgs_${path.split("/")[3]?.slice(4) ?? ""}`);
  const results = uploads.map((path) => `${url}${path}/result`);
  const outputs = uploads.map((path) => `${url}${path}/outputs`);
  const post = { method: "POST", token };
  const operate = { method: "POST", token: adminToken };
  const claim = { process_id: processId, groups: { deploy: 1 }, wait: "1s" };
  return [
    {
      ...post,
      kind: "results of 50 MB",
      clients: 10,
      paths: results,
      body: '{"success":true,"contents_compressed":"@50"}',
    },
    { kind: "plans of 15 MB", clients: 60, method: "GET", paths: [url + plan], token: adminToken },
    {
      ...operate,
      kind: "enqueues of 15 MB",
      clients: 4,
      paths: [`${runner}/jobs`],
      body: '{"type":"terraform-deploy","plan":{"apply_plan_contents":"@15"}}',
      restMs: 1000,
    },
    {
      ...post,
      kind: "claims of them",
      clients: 2,
      paths: [`${runner}/jobs/claim`],
      body: JSON.stringify(claim),
    },
    {
      ...post,
      kind: "outputs of 15 MB",
      clients: 4,
      paths: outputs,
      body: '{"outputs":{"a":"@15"}}',
    },
    {
      ...operate,
      kind: "helm records of 15 MB",
      clients: 4,
      paths: [record],
      body: '{"name":"a","version":1,"info":{"status":"deployed"},"chart":"@15"}',
    },
    { kind: "their reads", clients: 4, method: "GET", paths: [record], token: adminToken },
    {
      ...post,
      kind: "logs of 1 MB",
      clients: 64,
      paths: logs.map((id) => `${url}/v1/log-streams/${id}/logs`),
      body: '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"@1"}}]}]}]}',
    },
    {
      ...post,
      kind: "registrations",
      clients: 150,
      paths: [`${runner}/processes`],
      body: '{"type":"install","version":"1"}',
    },
    {
      ...post,
      kind: "unknown tokens",
      clients: 32,
      paths: [`${runner}/heart-beats`],
      body: "{}",
      token: "svc_rt_nobody",
    },
    {
      ...operate,
      kind: "one idempotency key",
      clients: 50,
      paths: [`${url}/v1/runner-groups`],
      body: '{"owner_id":"ins_9","owner_type":"installs","type":"install","platform":"aws"}',
      headers: { "idempotency-key": "the-same" },
    },
    {
      ...operate,
      kind: "pauses",
      clients: 20,
      paths: [`${runner}/pause`, `${runner}/resume`],
      body: "{}",
    },
    {
      kind: "parked polls",
      clients: 500,
      method: "GET",
      paths: [`${runner}/jobs/tail?wait=25s`],
      token,
    },
  ];
}
