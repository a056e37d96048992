import { beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../../../broker/accounts/create-account.ts";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import type { GrantablePermission, RoleType } from "../../../shared/permissions.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenProcess, type GivenRunner } from "../../support/rows/given.ts";

const plan = '{ "src_tag":"v1", "terraform": {"env_vars": {"PASSWORD": "hunter2"}} }';
const masked = '{"src_tag":"v1","terraform":{"env_vars":{"PASSWORD":"(secret)"}}}';
const without: RoleType[] = [
  "org_support",
  "org_read_only",
  "org_builder",
  "installer",
  "hosted-installer",
  "stack",
  "telemetry_collector",
];

let at: GivenOperator;
let runner: GivenRunner;
let jobId: string;
let execution: string;

beforeAll(async () => {
  at = await givenOperator();
  runner = (await at.createRunner()).given;
  await givenProcess(at.db, runner, { serves: { deploy: 3 } });
  const body = `{"type":"terraform-deploy","operation":"create-apply-plan","plan":${plan}}`;
  const made = await at.call<RunnerJob>(`POST /v1/runners/${runner.runnerId}/jobs`, { body });
  jobId = made.body.id;
  const token = await runnersToken();
  const path = `/v1/runner-jobs/${jobId}/executions`;
  const claimed = await at.call<{ id: string }>(`POST ${path}`, { token, body: {} });
  execution = `${path}/${claimed.body.id}`;
  const report = (result: object) => at.call(`POST ${execution}/result`, { token, body: result });
  await report({ success: true, contents: "hunter2", contents_display: "hunter2" });
  await report({ success: false, contents: "hunter2 again" });
});

const runnersToken = () =>
  givenToken(at.db, { orgId: runner.orgId, runnerId: runner.runnerId, role: "runner" });
const tokenOf = async (role: RoleType, grants: GrantablePermission[] = []) =>
  (await createToken(at.db, at.orgId, { name: "t", kind: "sa", role, grants, createdById: "" }))
    .secret;
const jobPaths = () => [`/v1/runner-jobs/${jobId}`, `/v1/runners/${runner.runnerId}/jobs/${jobId}`];

/** The plan by every way that shows one, or the status of its refusal. */
async function readPlan(token: string): Promise<(string | number | undefined)[]> {
  const shown = [];
  for (const path of jobPaths()) {
    const bare = await at.call<string>(`GET ${path}/plan`, { token });
    const inJob = await at.call<RunnerJob>(`GET ${path}?include=plan`, { token });
    shown.push(bare.status === 200 ? bare.body : bare.status);
    shown.push(inJob.status === 200 ? inJob.body.json?.plan_json : inJob.status);
  }
  return shown;
}

describe("a plan", () => {
  test.each(without)("is not shown to the role %s", async (role) => {
    expect(await readPlan(await tokenOf(role))).toEqual([403, 403, 403, 403]);
  });

  test("is shown whole to the org's admin and to its own runner", async () => {
    for (const token of [at.token, await runnersToken()]) {
      expect(await readPlan(token)).toEqual([plan, plan, plan, plan]);
    }
  });

  test("says what is missing and who can grant it", async () => {
    const token = await tokenOf("org_support");
    const refused = await at.call(`GET /v1/runner-jobs/${jobId}/plan`, { token });
    expect(refused).toMatchObject({ status: 403, body: { code: "permission_missing" } });
    expect(refused.body["detail"]).toMatch(
      /lacks the permission plans\.read\..+admin of the org can grant/,
    );
  });

  test("is shown without its secrets to a token that was granted to read plans", async () => {
    const token = await tokenOf("org_support", ["plans.read"]);
    expect(await readPlan(token)).toEqual([masked, masked, masked, masked]);
    const answer = await at.call(`GET /v1/runner-jobs/${jobId}/plan`, { token });
    expect(answer.headers.get("x-svc-plan")).toBe("masked");
    const whole = await at.call(`GET /v1/runner-jobs/${jobId}/plan`);
    expect(whole.headers.get("x-svc-plan")).toBeNull();
    expect(answer.headers.get("etag")).not.toBe(whole.headers.get("etag"));
  });

  test("is shown whole to a token that was granted its secrets too", async () => {
    const token = await tokenOf("org_builder", ["plans.read", "plans.secrets"]);
    expect(await readPlan(token)).toEqual([plan, plan, plan, plan]);
  });

  test("is shown to an account as far as its roles grant it", async () => {
    const readers: [string, string | number][] = [
      ["org_read_only", 403],
      ["rol_00000000000000000000000010", masked],
      ["rol_00000000000000000000000011", plan],
    ];
    for (const [role, expected] of readers) {
      const account = { accountType: "auth", name: "", email: "", subject: "", createdById: "" };
      const { id } = await createAccount(at.db, at.orgId, { ...account, roles: [role] });
      const token = { name: "t", kind: "pat", accountId: id, createdById: id } as const;
      const { secret } = await createToken(at.db, at.orgId, { ...token, reach: "account" });
      expect(await readPlan(secret)).toEqual([expected, expected, expected, expected]);
    }
  });
});

describe("whoever may not see a plan's secrets", () => {
  test.each(without.slice(0, 5))("finds none in other answers either: %s", async (role) => {
    const token = await tokenOf(role);
    const paths = [
      ...jobPaths(),
      `/v1/runner-jobs?cursor=`,
      `/v1/runners/${runner.runnerId}/jobs?cursor=`,
      `/v1/job-events?cursor=`,
      `/v1/runner-jobs/${jobId}/executions`,
      execution,
      `${execution}/result`,
    ];
    const answers = await Promise.all(paths.map((path) => at.call(`GET ${path}`, { token })));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain("hunter2");
  });

  test("reruns the job all the same, and is not told its plan", async () => {
    const token = await tokenOf("org_builder");
    const made = await at.call<RunnerJob>(`POST /v1/runner-jobs/${jobId}/rerun`, { token });
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain("hunter2");
    const again = await at.call<string>(`GET /v1/runner-jobs/${made.body.id}/plan`);
    expect(again.body).toBe(plan);
  });

  test("is told a result's contents only when granted", async () => {
    const path = `GET ${execution}/result`;
    const whole = await at.call<{ contents?: string }>(path);
    expect(whole.body).toMatchObject({ success: true, contents: "hunter2" });
    const evidence = await at.call(`GET ${execution}`);
    expect(JSON.stringify(evidence.body)).toContain("hunter2 again");
    const token = await tokenOf("org_support", ["plans.read", "plans.secrets"]);
    expect(await at.call(path, { token })).toMatchObject({ body: { contents: "hunter2" } });
  });
});

describe("a grant", () => {
  test("is given by who has it", async () => {
    const body = { name: "t", kind: "sa", role: "org_support", grants: ["plans.read"] };
    const made = await at.call("POST /v1/tokens", { body });
    expect(made).toMatchObject({ status: 201, body: { grants: ["plans.read"] } });
    const rotated = await at.call(`POST /v1/tokens/${String(made.body["id"])}/rotate`);
    expect(rotated).toMatchObject({ status: 201, body: { grants: ["plans.read"] } });
  });

  test.each([
    [{ kind: "sa", role: "org_support", grants: ["jobs.write"] }, "#/grants/0", "invalid_value"],
    [{ kind: "pat", account_id: "acc_x", grants: ["plans.read"] }, "#/grants", "not_allowed"],
  ])("that is none is refused: %j", async (token, pointer, code) => {
    const admin = await tokenOf("org_admin");
    await at.db`update tokens set token_type = 'admin' where role_type = 'org_admin'`;
    at.broker.broker.authenticator.forgetAll();
    const answer = await at.call("POST /v1/tokens", {
      token: admin,
      body: { name: "t", ...token },
    });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });
});
