import { createHash } from "node:crypto";
import { problem } from "../../shared/problem.ts";
import type { Asking } from "../app-configs/changes-between.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { findInstallFacts } from "./install-facts.ts";
import { stateBase } from "./state-base.ts";
import { readingWithin } from "./state-values.ts";
import type { ReadingParts } from "./stored-values.ts";

type Row = {
  readonly id: string;
  readonly install_id: string;
  readonly version: number;
  readonly checksum: string;
  readonly triggered_by_id: string;
  readonly triggered_by_type: string;
  readonly created_at: Date;
};

/** What is known of an install now, as JSON, with the values of sensitive inputs hidden; 404 without it. */
export async function showState(
  broker: ReadingParts & Pick<Broker, "render">,
  { actor: { orgId }, withPermit, gone }: Asking,
  id: string,
): Promise<string | Uint8Array> {
  const facts = await withPermit(() =>
    findInstallFacts(broker, orgId, {
      id,
      choose: ({ install, app }) => install.applied_config_id ?? app.active_config_id,
    }),
  );
  if (facts === undefined || facts.install.deleted_at !== null) throw problem.notFound("install");
  const given = { facts: stateBase(facts) };
  const values = readingWithin(withPermit, facts.values);
  return (await broker.render({ orgId, name: "shown-state", given, values }, gone)).text;
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
export function toState(seals: Digests, { created_at: at, ...row }: Row) {
  return {
    id: row.id,
    install_id: row.install_id,
    version: row.version,
    checksum: shownChecksum(seals, row),
    triggered_by_id: row.triggered_by_id,
    triggered_by_type: row.triggered_by_type,
    created_at: at.toISOString(),
  };
}

type Digests = Pick<Seals, "fingerprint" | "newest">;

/**
 * Equal for equal states of an install, as long as the same key seals. A plain digest would tell whether a guess of a short secret is
 * right, as all else of a state is shown; without a key there is nothing that readers do not know, and each version has another.
 */
function shownChecksum(
  seals: Digests,
  { install_id: install, id, checksum }: Omit<Row, "created_at">,
): string {
  const key = seals.newest();
  if (key === null) return digest(`state ${id}`).digest("hex");
  return seals.fingerprint(digest(`state ${install} ${checksum}`).digest(), key);
}

const digest = (text: string) => createHash("sha256").update(text);
