import type { OrgChanges } from "../../shared/api/orgs.ts";
import { problem } from "../../shared/problem.ts";
import { fewestRetainedDays, type Retained, retainedKinds } from "../../shared/retention.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "./org-id.ts";
import { updateOrg } from "./queries.ts";
import type { OrgRow } from "./row.ts";

type Change = {
  readonly changes: OrgChanges;
  /** The version that the org must have; undefined for any. */
  readonly version: number | undefined;
  readonly brokerDays: Readonly<Record<Retained, number>>;
};

/** Changes the org's name, its settings and for how long it keeps things: never longer than the broker does. */
export async function changeOrg(
  db: Db,
  orgId: OrgId,
  { changes, version, brokerDays }: Change,
): Promise<OrgRow> {
  requireNoLonger(changes.retention_days ?? {}, brokerDays);
  const org = await updateOrg(db, orgId, { changes, version });
  if (org === undefined)
    throw problem.preconditionFailed("The org was changed by another request. Read it again.");
  return org;
}

function requireNoLonger(
  asked: Partial<Record<Retained, number | null | undefined>>,
  brokerDays: Change["brokerDays"],
): void {
  const errors = retainedKinds
    .filter((kind) => (asked[kind] ?? 0) > brokerDays[kind])
    .map((kind) => {
      const least = fewestRetainedDays[kind];
      const most = brokerDays[kind];
      const detail = `The broker keeps this for ${most} days. Allowed: ${least} to ${most}, or null for as long as the broker does.`;
      return { pointer: `#/retention_days/${kind}`, code: "longer_than_broker", detail } as const;
    });
  if (errors.length > 0) throw problem.invalid(errors);
}
