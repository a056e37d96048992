import { LRUCache } from "lru-cache";
import { type PlanFacts, planFacts } from "../../shared/plans/plan-facts.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { Db } from "../database/connect.ts";
import type { Limiter } from "../database/limiter.ts";
import { findPlanToSend } from "../jobs/queries.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type Opened, openLarge } from "../seals/open-large.ts";
import type { Seals } from "../seals/seals.ts";

export type PlanFactsParts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly largeReads: Limiter;
  /** Reads a large plan in another process. */
  readonly bodies: {
    readonly planFacts: (plan: {
      readonly orgId: string;
      readonly type: RunnerJobType;
      readonly plan: Opened;
    }) => Promise<PlanFacts>;
  };
};

/** A plan never changes, and each of terraform's and helm's calls asks what it names. */
const known = new LRUCache<string, Promise<PlanFacts | undefined>>({ max: 5_000 });

/** What the job's plan names; undefined when it has none. Reads it once, and refuses then what its keys do not open. */
export function findPlanFacts(
  parts: PlanFactsParts,
  org: OrgId,
  job: { readonly id: string; readonly type: RunnerJobType },
): Promise<PlanFacts | undefined> {
  const name = `${org} ${job.id}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const reading = readFacts(parts, org, job);
  known.set(name, reading);
  reading.then(
    (facts) => facts ?? known.delete(name),
    () => known.delete(name),
  );
  return reading;
}

async function readFacts(
  parts: PlanFactsParts,
  org: OrgId,
  { id, type }: { readonly id: string; readonly type: RunnerJobType },
): Promise<PlanFacts | undefined> {
  const plan = await findPlanToSend(parts, org, id);
  if (plan === undefined) return undefined;
  if (typeof plan === "string") return planFacts(plan, type);
  return parts.bodies.planFacts({ orgId: org, type, plan: await openLarge(parts, plan) });
}
