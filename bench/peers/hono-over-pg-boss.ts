import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { startBoss } from "./pg-boss-queue.ts";

/**
 * What somebody would build in an afternoon instead of a broker: the calls of a job's life, by HTTP over pg-boss. A queue
 * a runner, a token that is looked up, no clocks, no groups, no history, no long poll; what a runner reports first is
 * checked and not kept, for pg-boss has no place for it.
 */
type NewJob = { readonly plan: object };
type End = { readonly status?: string; readonly result?: object; readonly outputs?: object };
type Report = End & { readonly execution: string };

const [databaseUrl = "", token = "", ...runnerIds] = process.argv.slice(2);
const boss = await startBoss(databaseUrl);
for (const runnerId of runnerIds) await boss.createQueue(runnerId);

const app = new Hono();
app.use(async (c, next) => {
  if (c.req.header("authorization") !== `Bearer ${token}`) return c.json({ status: 401 }, 401);
  return next();
});
app.post("/v1/runners/:queue/jobs", async (c) => {
  const queue = c.req.param("queue");
  const id = await boss.send(queue, await c.req.json<NewJob>());
  return c.json({ id: jobId(queue, id ?? ""), status: "available" }, 201);
});
app.post("/v1/runners/:queue/jobs/batch", async (c) => {
  const queue = c.req.param("queue");
  const { jobs } = await c.req.json<{ jobs: NewJob[] }>();
  const drafts = jobs.map((data) => ({ data }));
  const ids = (await boss.insert(queue, drafts, { returnId: true })) ?? [];
  return c.json({ jobs: ids.map((id) => ({ id: jobId(queue, id), status: "available" })) }, 201);
});
app.post("/v1/runners/:queue/jobs/claim", async (c) => {
  const queue = c.req.param("queue");
  const { groups } = await c.req.json<{ groups: { deploy: number } }>();
  const jobs = await boss.fetch<NewJob>(queue, { batchSize: groups.deploy });
  const claims = jobs.map(({ id, data: { plan, ...job } }) => {
    return { job: { id: jobId(queue, id), ...job }, execution: { id: executionId(id) }, plan };
  });
  return c.json({ jobs: claims });
});
app.patch("/v1/runner-jobs/:job/executions/:execution", async (c) => {
  const { queue, id } = named(c.req.param("job"));
  await c.req.json<End>();
  const active = await findActive(queue, [id]);
  return active.has(id) ? c.json({ id, status: "in-progress" }) : c.json({ status: 404 }, 404);
});
app.post("/v1/runner-jobs/:job/executions/:execution/finish", async (c) => {
  const { queue, id } = named(c.req.param("job"));
  const { result, outputs } = await c.req.json<End>();
  await boss.complete(queue, id, { result, outputs });
  return c.json({ id, status: "finished" });
});
app.post("/v1/runners/:queue/reports", async (c) => {
  const queue = c.req.param("queue");
  const { reports } = await c.req.json<{ reports: Report[] }>();
  const ids = reports.map(({ execution }) => execution.slice("exe_".length));
  const [{ status, result, outputs }] = reports as [Report]; // those of one request are alike
  const isEnd = status === "finished";
  if (isEnd) await boss.complete(queue, ids, { result, outputs });
  const active = isEnd ? new Set(ids) : await findActive(queue, ids);
  return c.json({
    reports: ids.map((id) => ({ status: active.has(id) ? 200 : 404, execution: executionId(id) })),
  });
});

/** pg-boss finds a job by its queue and its id. */
function jobId(queue: string, id: string): string {
  return `${queue}.${id}`;
}

function executionId(id: string): string {
  return `exe_${id}`;
}

function named(job: string): { queue: string; id: string } {
  const [queue = "", id = ""] = job.split(".");
  return { queue, id };
}

async function findActive(queue: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const sql = `select id from pgboss.job where name = $1 and id = any($2::uuid[]) and state = 'active'`;
  const { rows } = await boss.getDb().executeSql(sql, [queue, ids]);
  return new Set(rows.map(({ id }: { id: string }) => id));
}

// Longer than the turns of all others, in which nobody asks it.
const serverOptions = { keepAliveTimeout: 600_000 };
const options = { fetch: app.fetch, port: 0, hostname: "127.0.0.1", serverOptions };
serve(options, ({ port }) => {
  process.send?.(`http://127.0.0.1:${port}`);
});
process.once("disconnect", () => process.exit(0));
