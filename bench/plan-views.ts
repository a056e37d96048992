import { gzipSync } from "node:zlib";
import { mostUnpackedBytes } from "../broker/deploys/planned/read-planned.ts";
import { openLog } from "../broker/log.ts";
import { createMetrics } from "../broker/metrics.ts";
import { openWorkPools, type WorkPools } from "../broker/work-pool/open-work-pools.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";

const wholeBytes = 15_000_000;
const times = 7;
const mostMs = 300;

/** What people are shown of a plan of terraform of 15 MB, made by a child of the broker's pool. */
export const planViews: Bench = {
  what: "the view of a plan of terraform whose JSON has 15 MB, made by a child process of the broker",
  run: async ({ scale }, tell) => {
    const json = shownPlan(wholeBytes * scale);
    const result = Buffer.from(
      JSON.stringify({
        contents: JSON.stringify({ has_changes: true }),
        contents_gzip: "UEs=",
        contents_display_gzip: gzipSync(json).toString("base64"),
      }),
    );
    const pools = openWorkPools({
      config: { workProcesses: 1, workNice: 0 },
      log: openLog("error"),
      metrics: createMetrics(),
      makeBudget: () => ({ enter: async () => await Promise.resolve(() => {}) }),
    });
    const alive = setInterval(() => {}, 1_000); // children alone do not keep this process
    const took: number[] = [];
    let viewBytes = 0;
    // The first is for what a child loads once.
    for (let nth = 0; nth <= times; nth++) {
      const from = performance.now();
      viewBytes = await viewOf(pools, result);
      if (nth > 0) took.push(performance.now() - from);
    }
    clearInterval(alive);
    await Promise.all(Object.values(pools).map((pool) => pool.stop()));
    const note = `of ${times}: ${took.map((one) => one.toFixed(0)).join(", ")} ms; ${json.length} bytes become ${viewBytes}`;
    const target = { atMost: mostMs };
    tell({ figure: "view, median", value: quantile(took, 0.5), unit: "ms", target, note });
  },
};

async function viewOf({ work }: WorkPools, result: Buffer): Promise<number> {
  const { bytes } = await work.run({
    orgId: "org_bench",
    kind: "plans.view",
    asked: { type: "terraform-deploy", mostUnpackedBytes },
    bytes: [result, Buffer.from("{}")],
  });
  return bytes[0]?.length ?? 0;
}

/** Resources of which every third changes, and the state that they are planned to have. */
function shownPlan(mostBytes: number): string {
  const one = JSON.stringify([resourceOf(0), valuesOf(0, 1)]).length;
  const changes = Array.from({ length: Math.ceil(mostBytes / one) }, (_, n) => resourceOf(n));
  const resources = changes.map((_, n) => ({ values: valuesOf(n, 1), sensitive_values: {} }));
  return JSON.stringify({
    format_version: "1.2",
    resource_changes: changes,
    planned_values: { root_module: { resources } },
  });
}

const resourceOf = (n: number) => ({
  address: `aws_instance.web[${n}]`,
  type: "aws_instance",
  name: "web",
  change: {
    actions: n % 3 === 0 ? ["update"] : ["no-op"],
    before: valuesOf(n, 1),
    after: valuesOf(n, n % 3 === 0 ? 2 : 1),
    after_unknown: {},
    before_sensitive: { tags: {}, disks: [{}] },
    after_sensitive: { tags: {}, disks: [{}] },
  },
});

const valuesOf = (n: number, size: number) => ({
  id: `i-${n}`,
  tags: { Name: `web-${n}`, team: "core", note: "x".repeat(150) },
  size,
  groups: ["a", "b", "c"],
  policy: JSON.stringify({ Statement: [{ Effect: "Allow", Action: ["s3:*"], Resource: "*" }] }),
  disks: [{ size, type: "gp3", iops: 3000 }],
});
