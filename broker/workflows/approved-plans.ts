import type { Broker } from "../broker.ts";
import { findShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ApprovedPlan, DecisionNeeds } from "./kinds/kind-environment.ts";
import { readApprovalText } from "./load-workflow.ts";
import { NotKnown } from "./not-known.ts";
import { readOutline } from "./read-outline.ts";

/** The plans that one move of a workflow begins to carry out: each is opened once, and a long one looked into by a child process. */
export class ApprovedPlans {
  readonly #parts: Pick<Broker, "db" | "seals" | "work">;
  readonly #orgId: OrgId;
  readonly #found = new Map<string, ApprovedPlan | undefined>();

  constructor(parts: Pick<Broker, "db" | "seals" | "work">, orgId: OrgId) {
    this.#parts = parts;
    this.#orgId = orgId;
  }

  readonly read: DecisionNeeds["approvedPlan"] = (id) => {
    if (!this.#found.has(id)) throw new NotKnown(`the plan of ${id}`, () => this.#find(id));
    return this.#found.get(id);
  };

  async #find(id: string): Promise<void> {
    const text = await readApprovalText(this.#parts, this.#orgId, id);
    if (text === undefined) return void this.#found.set(id, undefined);
    const shown = await findShownPlan(this.#parts, this.#orgId, id);
    const outline = await readOutline(this.#parts.work, this.#orgId, { text, shown });
    this.#found.set(id, { text, shown, ...outline });
  }
}
