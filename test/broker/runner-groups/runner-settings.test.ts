import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerSettings } from "../../../shared/api/runner-settings.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const patch = (runnerId: string, body: unknown, headers: Record<string, string> = {}) =>
  at.call<RunnerSettings>(`PATCH /v1/runners/${runnerId}/settings`, { body, headers });

describe("a runner's settings", () => {
  test("are read by its own token, in the shape that runners decode", async () => {
    const runner = await at.createRunner();
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: runner.id });
    const answer = await at.call(`GET /v1/runners/${runner.id}/settings`, { token });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      org_id: at.orgId,
      runner_group_id: runner.runner_group_id,
      platform: "aws",
      metadata: {},
      aws_tags: {},
      logging_level: "INFO",
      heart_beat_timeout: 5_000_000_000,
      long_poll_jobs: true,
      container_image_verification_mode: "none",
      groups: ["sync", "sandbox", "deploy", "actions", "operations"],
    });
    expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(specified));
    const other = await at.createRunner();
    expect((await at.call(`GET /v1/runners/${other.id}/settings`, { token })).status).toBe(404);
    const path = `PATCH /v1/runners/${runner.id}/settings`;
    expect((await at.call(path, { token, body: { sandbox_mode: true } })).status).toBe(403);
  });

  test("take every member that can be set, and give it back", async () => {
    const runner = await at.createRunner();
    const answer = await patch(runner.id, everything);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ...everything,
      heart_beat_timeout: 10_000_000_000,
      vm_max_uptime: 86_400,
      container_image_verification_mode: "keyless",
    });
    const again = await at.call(`GET /v1/runner-groups/${runner.runner_group_id}/settings`);
    expect(again.body).toEqual(answer.body);
  });

  test.each([
    [
      { job_group_parallelism: { deploy: "1001" } },
      "#/job_group_parallelism/deploy",
      "invalid_parallelism",
    ],
    [
      { job_group_parallelism: { deploy: "-1" } },
      "#/job_group_parallelism/deploy",
      "invalid_parallelism",
    ],
    [
      { job_group_parallelism: { deploy: "1.5" } },
      "#/job_group_parallelism/deploy",
      "invalid_parallelism",
    ],
    [
      { job_group_parallelism: { deploy: "" } },
      "#/job_group_parallelism/deploy",
      "invalid_parallelism",
    ],
    [{ job_group_parallelism: { deploy: true } }, "#/job_group_parallelism/deploy", "invalid_type"],
    [
      { job_group_parallelism: { deploys: "3" } },
      "#/job_group_parallelism/deploys",
      "unknown_member",
    ],
    [{ groups: ["deploy", "fly"] }, "#/groups/1", "invalid_value"],
    [{ groups: ["deploy", "deploys"] }, "#/groups", "duplicate_group"],
    [{ heart_beat_timeout: 0 }, "#/heart_beat_timeout", "invalid_duration"],
    [{ heart_beat_timeout: "31s" }, "#/heart_beat_timeout", "invalid_duration"],
    [{ heart_beat_timeout: "soon" }, "#/heart_beat_timeout", "invalid_duration"],
    [{ heart_beat_timeout: 1.5e9 + 0.5 }, "#/heart_beat_timeout", "invalid_type"],
    [{ vm_max_uptime: -1 }, "#/vm_max_uptime", "invalid_duration"],
    [{ container_max_uptime: "90ms" }, "#/container_max_uptime", "invalid_duration"],
    [{ logging_level: "debug" }, "#/logging_level", "invalid_value"],
    [{ aws_auth_method: "key" }, "#/aws_auth_method", "invalid_value"],
    [{ metadata: { a: 1 } }, "#/metadata/a", "invalid_type"],
    [{ runner_api_url: "ftp://x.example" }, "#/runner_api_url", "invalid_url"],
    [{ enable_sentry: "yes" }, "#/enable_sentry", "invalid_type"],
    [{ job_group_max_depth: 0 }, "#/job_group_max_depth", "too_small"],
    [{ long_poll_jobs: false }, "#/long_poll_jobs", "unknown_member"],
    [{ platform: "gcp" }, "#/platform", "unknown_member"],
  ])("refuse %j", async (body, pointer, code) => {
    const runner = await at.createRunner();
    const answer = await patch(runner.id, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
    const { body: now } = await at.call(`GET /v1/runners/${runner.id}/settings`);
    expect(now["version"]).toBe(1);
  });

  test("have a version: it is their ETag, grows with a change only, and guards one", async () => {
    const runner = await at.createRunner();
    const path = `GET /v1/runners/${runner.id}/settings`;
    const first = await at.call(path);
    expect(first.headers.get("etag")).toBe('"1"');
    const unchanged = await at.call(path, { headers: { "if-none-match": '"1"' } });
    expect(unchanged).toMatchObject({ status: 304, body: "" });
    expect((await patch(runner.id, { sandbox_mode: false })).body.version).toBe(1);
    const changed = await patch(runner.id, { sandbox_mode: true }, { "if-match": '"1"' });
    expect([changed.body.version, changed.headers.get("etag")]).toEqual([2, '"2"']);
    const late = await patch(runner.id, { sandbox_mode: false }, { "if-match": '"1"' });
    expect(late).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect((await at.call(path, { headers: { "if-none-match": '"1"' } })).status).toBe(200);
  });

  test("lose no change when ten come at once", async () => {
    const runner = await at.createRunner();
    const names = Object.keys(everything).filter(
      (name) => name.startsWith("org_") || name.startsWith("enable_"),
    );
    const answers = await Promise.all(
      names.map((name) =>
        patch(runner.id, { [name]: everything[name as keyof typeof everything] }),
      ),
    );
    const kept = answers.filter(({ status }) => status === 200);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { body } = await at.call<RunnerSettings>(`GET /v1/runners/${runner.id}/settings`);
    expect(body.version).toBe(1 + kept.length);
  });
});

const everything = {
  groups: ["sync", "deploys", ""],
  job_group_parallelism: { deploy: "3", "": "0" },
  job_group_max_depth: 7,
  sandbox_mode: true,
  heart_beat_timeout: "10s",
  container_image_url: "registry.example/runner",
  container_image_tag: "1.2.3",
  container_image_signature_issuer: "https://issuer.example",
  container_image_signature_identity_regexp: "(?i)^acme$",
  container_max_uptime: 3600,
  vm_max_uptime: "24h",
  aws_max_instance_lifetime: 0,
  aws_instance_type: "t3.small",
  aws_auth_method: "sts",
  aws_cloudformation_stack_type: "ec2",
  aws_tags: { team: "acme" },
  binary_version: "1.2.3",
  runner_binary_url: "https://binaries.example/runner",
  runner_api_url: "https://broker.example",
  org_aws_iam_role_arn: "arn:aws:iam::1:role/org",
  org_azure_client_id: "client",
  org_gcp_service_account: "sa@acme.example",
  org_k8s_service_account_name: "runner",
  local_aws_iam_role_arn: "arn:aws:iam::1:role/local",
  enable_logging: false,
  enable_metrics: false,
  enable_sentry: true,
  logging_level: "WARN",
  metadata: { a: "b", __a: "c" },
  otel_collector_config: "receivers: {}",
  telemetry_relay_endpoint: "relay.example:4317",
  vendor_telemetry_enabled: true,
  vendor_telemetry_resource_attributes: { env: "test" },
};

/** The members that the resource model names. */
const specified = [
  ...Object.keys(everything).filter((name) => name !== "job_group_max_depth"),
  "id",
  "org_id",
  "runner_group_id",
  "platform",
  "container_image_verification_mode",
  "long_poll_jobs",
];
