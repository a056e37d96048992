import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { findInstallFacts } from "./install-facts.ts";
import { shownStateOf } from "./install-state.ts";

type Row = {
  readonly id: string;
  readonly install_id: string;
  readonly version: number;
  readonly checksum: string;
  readonly triggered_by_id: string;
  readonly triggered_by_type: string;
  readonly created_at: Date;
};

/** What is known of an install now, with the values of sensitive inputs hidden; 404 without it. */
export async function showState(
  parts: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const facts = await findInstallFacts(parts, org, {
    id,
    choose: ({ install, app }) => install.applied_config_id ?? app.active_config_id,
  });
  if (facts === undefined || facts.install.deleted_at !== null) throw problem.notFound("install");
  return shownStateOf(facts);
}

/** The states of an install that workflows recorded, the newest first. */
export async function listStates(
  db: Db,
  org: OrgId,
  {
    id,
    created,
    after,
    limit,
    offset,
  }: ListRequest & { readonly id: string; readonly created: CreatedFilter },
): Promise<(Row & { readonly sort_key: string })[]> {
  return db<(Row & { sort_key: string })[]>`
    select s.id, s.install_id, s.version, s.checksum, s.triggered_by_id, s.triggered_by_type, s.created_at, s.created_at::text as sort_key
      from install_states s
     where s.org_id = ${org} and s.install_id = ${id} and s.id < ${after?.id ?? "~"}
       ${createdWithin(db, db`s.created_at`, created)}
     order by s.id desc limit ${limit} offset ${offset}`;
}

/** A state as lists show it, without what is in it. */
export function toState({ created_at: at, ...row }: Row) {
  return {
    id: row.id,
    install_id: row.install_id,
    version: row.version,
    checksum: row.checksum,
    triggered_by_id: row.triggered_by_id,
    triggered_by_type: row.triggered_by_type,
    created_at: at.toISOString(),
  };
}
