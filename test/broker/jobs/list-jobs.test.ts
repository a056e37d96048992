import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

type Page = { items: RunnerJob[]; next_cursor: string | null };

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

async function setup(given: Parameters<typeof givenRunner>[1] = {}) {
  const runner = await givenRunner(db, given);
  return { ...runner, admin: await givenToken(db, { orgId: runner.orgId }) };
}

async function page(token: string, path: string): Promise<Page> {
  const answer = await call<Page>(`GET ${path}`, { token });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** Every id of a list, page by page; `between` runs after each page. */
async function walk(token: string, path: string, between?: () => Promise<unknown>) {
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { items, next_cursor: next }: Page = await page(token, `${path}&cursor=${cursor}`);
    ids.push(...items.map(({ id }) => id));
    cursor = next;
    await between?.();
  }
  return ids;
}

describe("pages of jobs", () => {
  test("hold each job once, newest first, while others are enqueued", async () => {
    const runner = await setup();
    const jobs = await givenJobs(
      db,
      runner,
      Array.from({ length: 25 }, () => ({})),
    );
    for (const path of ["/v1/runner-jobs?limit=4", `/v1/runners/${runner.runnerId}/jobs?limit=4`]) {
      const before = await walk(runner.admin, path);
      const during = await walk(runner.admin, path, () => givenJobs(db, runner, [{}, {}]));
      expect(before.filter((id) => jobs.includes(id))).toEqual(jobs.toReversed());
      expect(during).toEqual(before);
    }
  });

  test("lead on by a Link that keeps the filters", async () => {
    const runner = await setup();
    const jobs = await givenJobs(db, runner, [{}, {}, {}]);
    const path = "/v1/runner-jobs?limit=2&group=deploy";
    const first = await call<Page>(`GET ${path}`, { token: runner.admin });
    const [, next] = /^<(\/[^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await call<Page>(`GET ${next}`, { token: runner.admin });
    expect(second.body.items.map(({ id }) => id)).toEqual([jobs[0]]);
    expect(second.body.next_cursor).toBeNull();
    expect(second.headers.get("link")).toBeNull();
  });

  test("lead on by a Link whose path is written as the request's was", async () => {
    const { runnerId, admin, ...runner } = await setup();
    await givenJobs(db, { runnerId, ...runner }, [{}, {}]);
    for (const written of [runnerId.replace("_", "%5F"), `%72${runnerId.slice(1)}`]) {
      const path = `/v1/runners/${written}/jobs`;
      const first = await call<Page>(`GET ${path}?limit=1&cursor=`, { token: admin });
      const link = first.headers.get("link") ?? "";
      expect(link.slice(0, path.length + 2)).toBe(`<${path}?`);
      const second = await call<Page>(`GET ${link.slice(1, link.indexOf(">"))}`, { token: admin });
      expect(second.body).toMatchObject({ items: [{ runner_id: runnerId }], next_cursor: null });
    }
  });

  test("take a cursor only with the filters it was given for", async () => {
    const runner = await setup();
    await givenJobs(db, runner, [{}, {}, {}]);
    const { next_cursor: cursor } = await page(
      runner.admin,
      "/v1/runner-jobs?limit=1&group=deploy",
    );
    for (const other of ["", "&group=sync", "&group=deploy&status=queued"]) {
      const answer = await call(`GET /v1/runner-jobs?cursor=${cursor}${other}`, {
        token: runner.admin,
      });
      expect(answer).toMatchObject({
        status: 422,
        body: { errors: [{ code: "cursor_mismatch" }] },
      });
    }
    const ofRunner = `GET /v1/runners/${runner.runnerId}/jobs?group=deploy&cursor=${cursor}`;
    expect(await call(ofRunner, { token: runner.admin })).toMatchObject({ status: 422 });
    const again = await page(runner.admin, `/v1/runner-jobs?limit=2&group=deploy&cursor=${cursor}`);
    expect(again.items).toHaveLength(2);
  });

  test("refuse cursors that are none", async () => {
    const runner = await setup();
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 60 }), async (text) => {
        const query = new URLSearchParams({ cursor: text }).toString();
        const answer = await call(`GET /v1/runner-jobs?${query}`, { token: runner.admin });
        expect(answer.status).toBe(422);
      }),
      { numRuns: 40 },
    );
  });

  test("refuse unknown and malformed parameters with a pointer to each", async () => {
    const { runnerId, admin } = await setup();
    const paths = ["/v1/runner-jobs?", `/v1/runners/${runnerId}/jobs?cursor=&`];
    const wrong = ["stat=1", "status=done", "group=x", "type=x", "created_after=yesterday"];
    for (const path of paths) {
      for (const query of wrong) {
        const answer = await call<{ errors: { pointer: string }[] }>(`GET ${path}${query}`, {
          token: admin,
        });
        expect({ query, status: answer.status }).toEqual({ query, status: 422 });
        expect(answer.body.errors[0]?.pointer).toBe(`?${query.split("=")[0]}`);
      }
    }
    for (const limit of ["0", "101", "-1", "x", "1.5"]) {
      const answer = await call(`GET /v1/runner-jobs?limit=${limit}`, { token: admin });
      expect(answer.status).toBe(422);
    }
  });

  test("hold nothing of another org", async () => {
    const [one, two] = [await setup(), await setup()];
    await givenJob(db, one);
    expect((await page(two.admin, "/v1/runner-jobs")).items).toEqual([]);
    expect((await page(two.admin, `/v1/runner-jobs?cursor=`)).items).toEqual([]);
  });
});

describe("filters", () => {
  test("narrow to status, group, type, owner and time, alone and together", async () => {
    const runner = await setup({ parallelism: { deploy: 2 } });
    const sibling = await givenRunner(db, { orgId: runner.orgId });
    const processId = await givenProcess(db, runner, { serves: { deploy: 2, sync: 1 } });
    const done = await givenExecution(db, runner, { processId, job: { ownerId: "own_1" } });
    await report(db, runner, { ...done, status: "finished", result: { success: true } });
    const failed = await givenExecution(db, runner, { processId, job: { type: "job-deploy" } });
    await report(db, runner, { ...failed, status: "failed", result: {} });
    const running = await givenExecution(db, runner, { processId });
    const open = await givenJob(db, runner);
    const queued = await givenJob(db, runner, { ownerId: "own_1", ownerType: "installs" });
    const sync = await givenJob(db, runner, { type: "noop-sync" });
    const other = await givenJob(db, sibling);
    const all = [done.jobId, failed.jobId, running.jobId, open, queued, sync, other];
    const list = async (query: string) => {
      const { items } = await page(runner.admin, `/v1/runner-jobs?${query}`);
      return items.map(({ id }) => all.indexOf(id));
    };
    expect(await list("")).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(await list("status=finished")).toEqual([0]);
    expect(await list("status=finished&status=failed")).toEqual([1, 0]);
    expect(await list("status=in-progress")).toEqual([2]);
    expect(await list("status=queued&status=available")).toEqual([6, 5, 4, 3]);
    expect(await list("status=queued&status=failed")).toEqual([6, 4, 1]);
    expect(await list("group=sync")).toEqual([5]);
    expect(await list("group=any&type=job-deploy")).toEqual([1]);
    expect(await list("owner_id=own_1")).toEqual([4, 0]);
    expect(await list("owner_id=own_1&owner_type=installs")).toEqual([4]);
    expect(await list("owner_id=own_2")).toEqual([]);
    const at = (await page(runner.admin, "/v1/runner-jobs?status=in-progress")).items[0]
      ?.created_at;
    expect(await list(`created_after=${at}&limit=3`)).toEqual([6, 5, 4]);
    expect(await list(`created_before=${at}`)).toEqual([1, 0]);
    expect(await list("created_before=2001-01-01T00:00:00Z")).toEqual([]);
    expect(await list("created_after=9001-01-01T00:00:00Z")).toEqual([]);
    const mine = await page(
      runner.admin,
      `/v1/runners/${runner.runnerId}/jobs?cursor=&status=queued`,
    );
    expect(mine.items.map(({ id }) => id)).toEqual([queued]);
  });

  test("are narrowed to any owner that a job can have, and so are its events and logs", async () => {
    const runner = await setup();
    const { admin: token, runnerId } = runner;
    const owner = { owner_id: "o".repeat(255), owner_type: "t".repeat(255) };
    const enqueue = async (body: object) =>
      await call<RunnerJob>(`POST /v1/runners/${runnerId}/jobs`, { token, body });
    const { status, body: job } = await enqueue({ type: "noop", ...owner });
    expect(status).toBe(201);
    const query = String(new URLSearchParams(owner));
    const listed = await page(token, `/v1/runner-jobs?${query}`);
    expect(listed.items.map(({ id }) => id)).toEqual([job.id]);
    const events = await page(token, `/v1/job-events?cursor=&owner_id=${owner.owner_id}`);
    expect(events.items).not.toEqual([]);
    const stream = await call("POST /v1/log-streams", { token, body: owner });
    expect(stream.status).toBe(201);
    expect((await page(token, `/v1/log-streams?${query}`)).items).toHaveLength(1);
    const tooLong = { ...owner, owner_id: `${owner.owner_id}o` };
    expect((await enqueue({ type: "noop", ...tooLong })).status).toBe(422);
  });

  test("page through one status alone", async () => {
    const runner = await setup();
    await endSome(runner, 7);
    const ids = await walk(runner.admin, "/v1/runner-jobs?status=cancelled&limit=3");
    expect(new Set(ids).size).toBe(7);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  async function endSome(runner: GivenRunner, count: number): Promise<void> {
    const jobs = await givenJobs(
      db,
      runner,
      Array.from({ length: 2 * count }, () => ({})),
    );
    const ended = jobs.filter((_, at) => at % 2 === 0);
    await db`select * from end_jobs(${runner.orgId}, ${ended}, 'cancel', '')`;
    expect(await claim(db, runner, { processId: "prc_none" })).toEqual([]);
  }
});
