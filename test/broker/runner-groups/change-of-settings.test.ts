import { beforeAll, describe, expect, test } from "vitest";
import { type Topic, topics } from "../../../broker/wake/wakes.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { claim, givenJobs, givenProcess } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const patch = (runnerId: string, body: unknown) =>
  at.call(`PATCH /v1/runners/${runnerId}/settings`, { body });

describe("a change of settings", () => {
  test("raises the parallelism and releases what now fits, in the same statement", async () => {
    const { given, id } = await at.createRunner();
    await givenProcess(at.db, given, { serves: { deploy: 9 } });
    await givenJobs(at.db, given, [{}, {}, {}, {}]);
    expect(await statuses(id)).toEqual(["available", "queued", "queued", "queued"]);
    const heard = hear(topics.queue(id));
    await patch(id, { job_group_parallelism: { deploy: "3" } });
    expect(await statuses(id)).toEqual(["available", "available", "available", "queued"]);
    expect(heard.count()).toBeGreaterThan(0);
  });

  test("lowers it: jobs that nobody took lose their slots, running ones go on", async () => {
    const { given, id } = await at.createRunner();
    await patch(id, { job_group_parallelism: { deploy: "3" } });
    const processId = await givenProcess(at.db, given, { serves: { deploy: 9 } });
    await givenJobs(at.db, given, [{}, {}, {}, {}]);
    await claim(at.db, given, { processId, want: 1 });
    await patch(id, { job_group_parallelism: { deploy: "1" } });
    const [queue] = await at.db`
      select slots, in_use, waiting from runner_queues where runner_id = ${id} and job_group = 'deploy'`;
    expect(queue).toEqual({ slots: 1, in_use: 1, waiting: 3 });
    expect(await claim(at.db, given, { processId, want: 3 })).toEqual([]);
    await patch(id, { job_group_parallelism: { deploy: "0" } });
    expect(await statuses(id)).toContain("in-progress");
  });

  test("never lets more than the bound be taken while it is lowered under twenty claims", async () => {
    const { given, id } = await at.createRunner();
    await patch(id, { job_group_parallelism: { deploy: "20" } });
    const processId = await givenProcess(at.db, given, { serves: { deploy: 20 } });
    await givenJobs(
      at.db,
      given,
      Array.from({ length: 40 }, () => ({})),
    );
    await Promise.all([
      ...Array.from({ length: 20 }, () => claim(at.db, given, { processId })),
      patch(id, { job_group_parallelism: { deploy: "3" } }),
      ...Array.from({ length: 20 }, () => claim(at.db, given, { processId })),
    ]);
    const [queue] = await at.db`
      select in_use, (select count(*)::int from runner_job_live l
                       where l.runner_id = q.runner_id and l.has_slot) as with_slot,
             (select count(*)::int from runner_job_live l
               where l.runner_id = q.runner_id and not l.has_slot) as without, waiting
        from runner_queues q where runner_id = ${id} and job_group = 'deploy'`;
    expect(queue?.["in_use"]).toBe(queue?.["with_slot"]);
    expect(queue?.["waiting"]).toBe(queue?.["without"]);
    const before = (await statuses(id)).filter((status) => status === "in-progress").length;
    const more = await claim(at.db, given, { processId, want: 40 });
    expect(before + more.length).toBeLessThanOrEqual(Math.max(before, 3));
  });

  test("is told to every live process of every runner of the group", async () => {
    const one = await at.createRunner();
    const two = await at.createRunner({ runner_group_id: one.runner_group_id });
    const ids = [await givenProcess(at.db, one.given), await givenProcess(at.db, two.given)];
    const heard = ids.map((id) => hear(topics.process(id)));
    await at.call(`PATCH /v1/runner-groups/${one.runner_group_id}/settings`, {
      body: { logging_level: "DEBUG" },
    });
    expect(heard.map(({ count }) => count())).toEqual([1, 1]);
    const [orders] = await at.db`select settings_version from orders_for(${ids})`;
    expect(orders?.["settings_version"]).toBe(2);
  });
});

async function statuses(runnerId: string): Promise<string[]> {
  const rows = await at.db<{ status: string }[]>`
    select status from runner_job_live where runner_id = ${runnerId} order by id`;
  return rows.map(({ status }) => status);
}

function hear(topic: Topic): { count: () => number } {
  let count = 0;
  at.broker.broker.wakes.subscribe(topic, () => count++);
  return { count: () => count };
}
