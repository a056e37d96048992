import { maskPlan, maskRendered } from "../../shared/plans/mask-plan.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { TextInPieces } from "../seals/json-placeholders.ts";
import { LargeText } from "../seals/large-text.ts";
import {
  type LargeSealed,
  mostAtOnceBytes,
  type Opened,
  type OpeningParts,
  openLarge,
} from "../seals/open-large.ts";
import type { Actor } from "../tokens/actor.ts";
import { findPlanToSend } from "./queries.ts";
import type { JobRow } from "./row.ts";
import { findShownPlan } from "./shown-plans.ts";

/** Whether this caller is shown plans without their secrets. */
export function seesMaskedPlans({ permissions }: Pick<Actor, "permissions">): boolean {
  return !permissions.has("plans.secrets");
}

type LargePlanParts = OpeningParts & {
  /** Reads a large plan in another process. */
  readonly bodies: {
    readonly maskedPlan: (plan: {
      readonly orgId: string;
      readonly type: RunnerJobType;
      readonly plan: Uint8Array | Opened;
    }) => Promise<Buffer>;
  };
};

/** A long plan, of a job of this org and type. */
type LargeShown = {
  readonly orgId: string;
  readonly type: RunnerJobType;
  readonly large: LargeSealed;
};

/** The same for a long plan, which is read while it is sent; what is left of it when it is masked is in memory as a whole. */
export async function showLargePlan(
  parts: LargePlanParts,
  actor: Pick<Actor, "permissions">,
  { orgId, type, large }: LargeShown,
): Promise<TextInPieces> {
  const opened = await openLarge(parts, large);
  if (!seesMaskedPlans(actor)) return opened;
  return {
    heldBytes: large.storedBytes,
    async *pieces() {
      const masked = await parts.bodies.maskedPlan({ orgId, type, plan: opened });
      for (const slice of new LargeText([masked]).slices()) yield Buffer.from(slice);
    },
  };
}

/**
 * The plan of a job that runs an action of an install, for who may not see its secrets: its twin, without what its kind's schema calls
 * secret; without a twin, nothing that was rendered. Undefined of other jobs, and for who may see all.
 */
export async function showRenderedPlan(
  parts: LargePlanParts & Parameters<typeof findShownPlan>[0],
  actor: Pick<Actor, "permissions">,
  { id, type, org_id: orgId, owner_type: owner }: JobRow,
): Promise<string | undefined> {
  if (!seesMaskedPlans(actor) || owner !== "install_action_workflow_runs") return undefined;
  const org = orgId as OrgId; // a job of that org
  const twin = await findShownPlan(parts, org, id);
  if (twin !== undefined && twin.length > mostAtOnceBytes) {
    const masked = await parts.bodies.maskedPlan({ orgId, type, plan: Buffer.from(twin) });
    return masked.toString("utf8");
  }
  if (twin !== undefined) return JSON.stringify(maskPlan(type, JSON.parse(twin)));
  const plan = await findPlanToSend(parts, org, id);
  return typeof plan === "string" ? JSON.stringify(maskRendered(type, JSON.parse(plan))) : "{}";
}

/** The text of a plan as this caller may see it: byte for byte, or without its secrets. */
export function showPlan(
  actor: Pick<Actor, "permissions">,
  { type }: { readonly type: RunnerJobType },
  text: string,
): string {
  return seesMaskedPlans(actor) ? JSON.stringify(maskPlan(type, JSON.parse(text))) : text;
}
