import { expect, test } from "vitest";
import type { LogStreamSpan } from "../../../shared/api/telemetry.ts";
import {
  givenTelemetry,
  spanId,
  spanOf,
  textOf,
  traceId,
  traceRequestOf,
} from "../../support/broker/given-telemetry.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const {
  db,
  setup,
  broker: { call },
} = await givenTelemetry();

test("the spans of a job's log stream are those of the job, in words and texts", async () => {
  const { token, jobId, path, orgId } = await setup();
  const attributes = [
    textOf("runner_job_execution.id", "exe_1"),
    { key: "n", value: { intValue: "7" } },
  ];
  const span = spanOf(1, { kind: 3, status: { code: 2, message: "it broke" }, attributes });
  await call(`POST ${path}/traces`, { token, body: traceRequestOf(jobId, [span]) });
  const spans = `GET /v1/log-streams/lgs_${jobId.slice(4)}/spans`;
  const admin = await givenToken(db, { orgId });
  const { status, body } = await call<LogStreamSpan[]>(spans, { token: admin });
  expect(status).toBe(200);
  expect(body).toMatchObject([
    {
      trace_id: traceId,
      span_id: spanId(1),
      span_name: "step 1",
      span_kind: "Client",
      service_name: "agent",
      status_code: "Error",
      status_message: "it broke",
      duration_ns: 5_000_000,
      runner_job_id: jobId,
      runner_job_execution_id: "exe_1",
      runner_job_execution_step: "",
    },
  ]);
  expect(body[0]?.attributes["n"]).toBe("7");
  const [begin = 0, end = 0] = [body[0]?.start_timestamp, body[0]?.end_timestamp].map((at) =>
    Date.parse(at ?? ""),
  );
  expect(end - begin).toBe(5);
  const stranger = await givenToken(db, { orgId: await givenOrg(db) });
  expect(await call(spans, { token: stranger })).toMatchObject({ status: 404 });
});

test("a stream that is no job's has none", async () => {
  const { orgId } = await setup();
  const admin = await givenToken(db, { orgId });
  const body = { owner_id: "dep_1", owner_type: "install_deploys" };
  const made = await call<{ id: string }>("POST /v1/log-streams", { token: admin, body });
  const spans = await call(`GET /v1/log-streams/${made.body.id}/spans`, { token: admin });
  expect(spans).toMatchObject({ status: 200, body: [] });
});
