import { expect, onTestFinished, test } from "vitest";
import { makeBodyReader } from "../../../broker/http/body/body-reader.ts";
import { openLog } from "../../../broker/log.ts";
import { createMetrics } from "../../../broker/metrics.ts";
import { openWorkPools } from "../../../broker/work-pool/open-work-pools.ts";

/** The pools of a broker on the smallest machine. */
function setup() {
  const metrics = createMetrics();
  const pools = openWorkPools({
    config: { workProcesses: 1, workNice: 0 },
    log: openLog("info", { write: () => {} }),
    metrics,
    makeBudget: () => ({ enter: async () => () => {} }),
  });
  onTestFinished(async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.stop()));
  });
  const waiting = (): Record<string, number> =>
    Object.fromEntries(
      [...metrics.text().matchAll(/^svc_work_waiting\{pool="(\w+)"\} (\d+)$/gm)].map(
        ([, pool = "", count]) => [pool, Number(count)],
      ),
    );
  return { pools, reader: makeBodyReader(pools.bodies), waiting };
}

/** Bytes of which the last one never comes: who gets them has a place for as long. */
const stuck = () => ({
  sizeBytes: 2,
  async *pieces() {
    yield Buffer.from("{");
    await new Promise<never>(() => {});
  },
});

test("a runner's result waits behind no config and no state of another org, nor these behind each other", async () => {
  const { pools, reader, waiting } = setup();
  const leaving = new AbortController();
  const { signal } = leaving;
  const asked = { wanted: "outputs" } as const;
  const config = { kind: "configs.diff", asked: {}, bytes: [stuck(), stuck()] } as const;
  const state = { kind: "states.summarize", asked, bytes: [stuck()] } as const;
  const held = ["org_a", "org_b"].flatMap((orgId) => [
    pools.work.run({ orgId, ...config }, signal),
    pools.states.run({ orgId, ...state }, signal),
  ]);
  const refused = Promise.all(
    held.map((one) => expect(one).rejects.toMatchObject({ status: 503 })),
  );
  const bytes = Buffer.from('{"success":true}');
  const read = await reader.read({ operationId: "createResult" }, { orgId: "org_c", bytes });
  expect(read.value).toMatchObject({ success: true });
  expect(waiting()).toEqual({ work: 1, bodies: 0, states: 1 });
  leaving.abort();
  await refused;
  expect(waiting()).toEqual({ work: 0, bodies: 0, states: 0 });
});

test("of states five of an org run and wait and twelve of all, as before", async () => {
  const { pools } = setup();
  const leaving = new AbortController();
  const read = (orgId: string) => {
    const asked = { wanted: "outputs" } as const;
    const work = { orgId, kind: "states.summarize", asked, bytes: [stuck()] } as const;
    return pools.states.run(work, leaving.signal).catch((error: unknown) => error);
  };
  const busy = { status: 503, code: "busy", headers: { "retry-after": "5" } };
  const held = ["a", "a", "a", "a", "a"].map(read);
  expect(await read("a")).toMatchObject(busy);
  held.push(...["b", "b", "b", "b", "b", "c", "c"].map(read));
  expect(await read("d")).toMatchObject(busy);
  leaving.abort();
  expect(await Promise.all(held)).toHaveLength(12);
});
