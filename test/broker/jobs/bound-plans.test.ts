import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob } from "../../support/rows/given.ts";

const plan =
  '{"id": "iwr_secret", "install_id": "ins_1", "steps": [{"run_id": "stp_1", "secret": "of the plan"}]}';
const install = { type: "install", version: "1" };
const agent = { ...install, groups: { deploy: 4, actions: 4 }, binds_plans: true };

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

type Claimed = {
  jobs: { token: string; plan: object; execution: { id: string; runner_job_id: string } }[];
};
type Process = { id: string; secret?: string };

async function setup() {
  const { given: runner } = await at.createRunner();
  await at.call(`PATCH /v1/runners/${runner.runnerId}/settings`, {
    body: { job_group_parallelism: { deploy: "4", actions: "4" } },
  });
  const token = await givenToken(at.db, runner);
  const path = `/v1/runners/${runner.runnerId}`;
  const register = async (body: object): Promise<Process> => {
    const { body: made } = await at.call<Process>(`POST ${path}/processes`, { token, body });
    const beat = { process_id: made.id, process: "install", version: "1", alive_time: 1 };
    await at.call(`POST ${path}/heart-beats`, { token, body: beat });
    return made;
  };
  const enqueue = (): Promise<string> =>
    givenJob(at.db, runner, { type: "actions-workflow", plan });
  const claim = async (process: Process): Promise<Claimed["jobs"]> => {
    const body = { process_id: process.id, poll_id: "poll", groups: { actions: 4 }, wait: "5s" };
    const headers = process.secret === undefined ? {} : { "svc-process-secret": process.secret };
    const answer = await at.call<Claimed>(`POST ${path}/jobs/claim`, { token, body, headers });
    return answer.body.jobs;
  };
  /** What each way to a job's plan answers to the runner's token. */
  const reads = async (jobId: string, secret?: string): Promise<number[]> => {
    const headers = secret === undefined ? {} : { "svc-process-secret": secret };
    const ways = [
      `/v1/runner-jobs/${jobId}/plan`,
      `${path}/jobs/${jobId}/plan`,
      `/v1/runner-jobs/${jobId}?include=plan`,
      `${path}/jobs/${jobId}?include=plan`,
    ];
    const answers = [];
    for (const way of ways) answers.push((await at.call(`GET ${way}`, { token, headers })).status);
    return answers;
  };
  return { runner, token, path, register, enqueue, claim, reads };
}

const allowed = [200, 200, 200, 200];
const refused = [403, 403, 403, 403];

describe("a plan that a process binds to itself", () => {
  test("is told to the process that holds its job, and not by the runner's token alone", async () => {
    const { register, enqueue, claim, reads, token } = await setup();
    const [first, second] = [await register(agent), await register(agent)];
    const jobId = await enqueue();
    const [job] = await claim(first);
    expect(job?.plan).toMatchObject({ id: "iwr_secret" });
    expect(await reads(jobId)).toEqual(refused);
    expect(await reads(jobId, second.secret)).toEqual(refused);
    expect(await reads(jobId, "")).toEqual(refused);
    expect(await reads(jobId, first.secret)).toEqual(allowed);
    const { body } = await at.call(`GET /v1/runner-jobs/${jobId}/plan`, { token });
    expect(body).toMatchObject({ code: "plan_bound" });
    // The job itself, without its plan, is the runner's to read as before; an operator may read both.
    expect((await at.call(`GET /v1/runner-jobs/${jobId}`, { token })).status).toBe(200);
    expect((await at.call(`GET /v1/runner-jobs/${jobId}/plan`)).status).toBe(200);
  });

  test("goes with the job to the process that takes over, and stays bound when it has ended", async () => {
    const { register, enqueue, claim, reads, token } = await setup();
    const first = await register(agent);
    const jobId = await enqueue();
    const [job] = await claim(first);
    const heir = await register({ ...agent, takes_over: first.id, secret: first.secret });
    expect(await reads(jobId, first.secret)).toEqual(refused);
    expect(await reads(jobId, heir.secret)).toEqual(allowed);
    const execution = `/v1/runner-jobs/${jobId}/executions/${job?.execution.id}`;
    await at.call(`PATCH ${execution}`, { token, body: { status: "failed" } });
    expect(await reads(jobId)).toEqual(refused);
    expect(await reads(jobId, heir.secret)).toEqual(allowed);
  });

  test("is not told of a job that nobody has taken, nor is that job claimed by name", async () => {
    const { register, enqueue, reads, token } = await setup();
    await register(agent);
    const jobId = await enqueue();
    expect(await reads(jobId)).toEqual(refused);
    const claimed = await at.call(`POST /v1/runner-jobs/${jobId}/executions`, { token, body: {} });
    expect(claimed).toMatchObject({ status: 403, body: { code: "claims_bound" } });
  });

  test("is not handed out to who claims, or claims again, as that process without its secret", async () => {
    const { register, enqueue, claim, path, token } = await setup();
    const process = await register(agent);
    const jobId = await enqueue();
    await claim(process);
    const asked = { process_id: process.id, groups: { actions: 1 }, wait: "1s" };
    for (const body of [asked, { ...asked, poll_id: "poll" }]) {
      const stolen = await at.call(`POST ${path}/jobs/claim`, { token, body });
      expect(stolen).toMatchObject({ status: 409, body: { code: "process_bound" } });
    }
    expect((await claim(process)).map(({ execution }) => execution)).toMatchObject([
      { runner_job_id: jobId },
    ]);
  });

  test("is not told by what is derived from it: the run of an action", async () => {
    const { register, enqueue, claim, token } = await setup();
    const process = await register(agent);
    await enqueue();
    await claim(process);
    const run = "/v1/installs/ins_1/action-workflows/runs/iwr_secret";
    const step = "/v1/installs/ins_1/action-workflow-runs/iwr_secret/steps/stp_1";
    const body = { status: "finished", execution_duration: 1 };
    expect((await at.call(`GET ${run}`, { token })).status).toBe(404);
    expect((await at.call(`PUT ${step}`, { token, body })).status).toBe(404);
    const headers = { "svc-process-secret": process.secret ?? "" };
    expect((await at.call(`PUT ${step}`, { token, body, headers })).status).toBe(200);
  });
});

describe("the token of a job", () => {
  test("is told the plan of that job, and nothing of another of the same runner", async () => {
    const { register, enqueue, claim, path } = await setup();
    const process = await register(agent);
    const [ownId, otherId] = [await enqueue(), await enqueue()];
    const jobs = await claim(process);
    const jobOf = (id: string) => jobs.find(({ execution }) => execution.runner_job_id === id);
    const token = jobOf(ownId)?.token;
    const read = async (way: string): Promise<number> =>
      (await at.call(`GET ${way}`, { token })).status;
    expect(await read(`/v1/runner-jobs/${ownId}/plan`)).toBe(200);
    expect(await read(`${path}/jobs/${ownId}/plan`)).toBe(200);
    const result = { success: true, contents: "of another" };
    const other = `/v1/runner-jobs/${otherId}/executions/${jobOf(otherId)?.execution.id}`;
    await at.call(`POST ${other}/result`, { token: jobOf(otherId)?.token, body: result });
    for (const way of [
      `/v1/runner-jobs/${otherId}/plan`,
      `${path}/jobs/${otherId}/plan`,
      `/v1/runner-jobs/${otherId}?include=plan`,
      `${path}/jobs/${otherId}?include=plan`,
      other,
      `${other}/result`,
    ]) {
      expect([way, await read(way)]).toEqual([way, 403]);
    }
  });

  test("is not told the plan of its job once another execution has it", async () => {
    const { register, enqueue, claim } = await setup();
    const process = await register(agent);
    const jobId = await enqueue();
    const [first] = await claim(process);
    const execution = `/v1/runner-jobs/${jobId}/executions/${first?.execution.id}`;
    const back = await at.call(`POST ${execution}/give-back`, { token: first?.token, body: {} });
    expect(back.status).toBe(200);
    const [second] = await claim(await register(agent));
    expect(second?.execution.runner_job_id).toBe(jobId);
    const way = `GET /v1/runner-jobs/${jobId}/plan`;
    expect((await at.call(way, { token: second?.token })).status).toBe(200);
    expect((await at.call(way, { token: first?.token })).status).toBe(403);
  });
});

describe("the plan of a job whose runner's processes bind nothing", () => {
  test("is told to an agent of the version before, whatever its processes are", async () => {
    const { register, enqueue, claim, reads } = await setup();
    const process = await register({ ...install, groups: { actions: 4 } });
    const jobId = await enqueue();
    await claim(process);
    expect(await reads(jobId)).toEqual(allowed);
  });

  test("is told to a third-party runner before and after it claims by name", async () => {
    const { register, enqueue, reads, token } = await setup();
    await register(install);
    const jobId = await enqueue();
    expect(await reads(jobId)).toEqual(allowed);
    const claimed = await at.call(`POST /v1/runner-jobs/${jobId}/executions`, { token, body: {} });
    expect(claimed.status).toBe(201);
    expect(await reads(jobId)).toEqual(allowed);
    const run = "GET /v1/installs/ins_1/action-workflows/runs/iwr_secret";
    expect((await at.call(run, { token })).status).toBe(200);
  });

  test("is told to a third-party runner that works beside an agent that binds its own", async () => {
    const { register, enqueue, claim, reads, token } = await setup();
    await register(install);
    const jobId = await enqueue();
    const claimed = await at.call(`POST /v1/runner-jobs/${jobId}/executions`, { token, body: {} });
    expect(claimed.status).toBe(201);
    const process = await register(agent);
    expect(await reads(jobId)).toEqual(allowed);
    const other = await enqueue();
    await claim(process);
    expect(await reads(other)).toEqual(refused);
  });

  test("is told to a runner that has registered nothing", async () => {
    const { enqueue, reads } = await setup();
    expect(await reads(await enqueue())).toEqual(allowed);
  });
});
