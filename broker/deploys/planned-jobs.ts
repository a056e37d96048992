import type { ConfigReads } from "../../shared/app-config/config-reads.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ApplyPlan, PlanningJob } from "../workflows/kinds/kind-environment.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import { NotKnown } from "../workflows/not-known.ts";
import { findApply } from "./find-apply.ts";
import { findConfigReads } from "./find-config-reads.ts";
import { jobTypeOf } from "./job-type-of.ts";
import type { Planned } from "./planned/planned.ts";
import { findPlanned } from "./planned/read-planned.ts";

type Parts = Pick<Broker, "db" | "seals" | "work" | "largeReads">;

/** What planning jobs have found that one move of a workflow looks at, and what of configs needs what: each is read once. */
export class PlannedJobs {
  readonly #parts: Parts;
  readonly #org: OrgId;
  readonly #planned = new Map<string, Planned>();
  readonly #applied = new Map<string, ApplyPlan | CompositeFault>();
  readonly #reads = new Map<string, ConfigReads>();

  constructor(parts: Parts, org: OrgId) {
    this.#parts = parts;
    this.#org = org;
  }

  readonly planned = (job: PlanningJob): Planned =>
    this.#known(this.#planned, `what ${job.id} planned`, job.id, () =>
      findPlanned(this.#parts, this.#org, { jobId: job.id, type: jobTypeOf(job.owner) }),
    );

  readonly applyPlan = (job: PlanningJob): ApplyPlan | CompositeFault =>
    this.#known(this.#applied, `the apply of ${job.id}`, job.id, () =>
      findApply(this.#parts, this.#org, job),
    );

  readonly readsOf = (configId: string): ConfigReads =>
    this.#known(this.#reads, `what ${configId} reads`, configId, () =>
      findConfigReads(this.#parts, this.#org, configId),
    );

  #known<Value>(
    found: Map<string, Value>,
    what: string,
    key: string,
    find: () => Promise<Value>,
  ): Value {
    const known = found.get(key);
    if (known !== undefined) return known;
    throw new NotKnown(what, async () => {
      found.set(key, await find());
    });
  }
}
