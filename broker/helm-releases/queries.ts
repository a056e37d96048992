import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type LargeSealed, mostAtOnceBytes } from "../seals/open-large.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type { HelmChartRow, HelmReleaseRow } from "./row.ts";

type Sorted = { readonly sort_key: string };

/** Where a record is kept. */
export type RecordPlace = {
  readonly chartId: string;
  readonly namespace: string;
  readonly key: string;
};

/** A record ready to be stored. */
export type StoredRecord = Pick<HelmReleaseRow, "name" | "version" | "status" | "labels"> & {
  readonly id: string;
  readonly keyId: string | null;
  /** An expression of the sealed bytes. */
  readonly contents: postgres.Fragment;
  readonly sizeBytes: number;
};

/** Stores a chart. */
export async function insertChart(
  db: Db,
  org: OrgId,
  chart: Pick<HelmChartRow, "id" | "owner_id" | "owner_type" | "created_by_id">,
): Promise<HelmChartRow | undefined> {
  const [row] = await db<HelmChartRow[]>`
    insert into helm_charts ${db({ ...chart, org_id: org })} on conflict (org_id, id) do nothing returning *`;
  return row ?? (await findChart(db, org, chart.id)); // the same request made it before, and nobody heard
}

/** The chart; undefined when this org has none of that id. */
export async function findChart(db: Db, org: OrgId, id: string): Promise<HelmChartRow | undefined> {
  const [row] = await db<HelmChartRow[]>`
    select c.* from helm_charts c where c.org_id = ${org} and c.id = ${id}`;
  return row;
}

/** A page of charts, newest first. */
export async function listCharts(
  db: Db,
  org: OrgId,
  {
    ownerId,
    bound,
    after,
    limit,
    offset,
  }: ListRequest & { readonly ownerId: string | undefined; readonly bound?: Bound | null },
): Promise<(HelmChartRow & Sorted)[]> {
  return db<(HelmChartRow & Sorted)[]>`
    select c.*, c.created_at::text as sort_key from helm_charts c
     where c.org_id = ${org} ${boundTo(db, "helm_charts", bound)}
       ${after === undefined ? db`` : db`and c.id < ${after.id}`}
       ${ownerId === undefined ? db`` : db`and c.owner_id = ${ownerId}`}
     order by c.id desc limit ${limit} offset ${offset}`;
}

/** The newest hundred releases of each of these charts, newest first. */
export async function listReleasesOf(
  db: Db,
  org: OrgId,
  chartIds: readonly string[],
): Promise<HelmReleaseRow[]> {
  return db<HelmReleaseRow[]>`
    select ${columns(db)}
      from unnest(${chartIds}::text[]) c (id)
     cross join lateral (select * from helm_releases x where x.org_id = ${org} and x.helm_chart_id = c.id
                          order by x.id desc limit 100) r
     order by r.id desc`;
}

export type ReleaseFilters = Partial<
  Readonly<Record<"chart_id" | "name" | "namespace" | "status", string | undefined>>
> & { readonly bound?: Bound | null };

/** A page of releases, newest first. */
export async function listReleases(
  db: Db,
  org: OrgId,
  { bound, chart_id: chartId, name, namespace, status }: ReleaseFilters,
  { after, limit, offset }: ListRequest,
): Promise<(HelmReleaseRow & Sorted)[]> {
  return db<(HelmReleaseRow & Sorted)[]>`
    select ${columns(db)}, r.created_at::text as sort_key from helm_releases r
     where r.org_id = ${org} ${boundTo(db, "helm_releases", bound)}
       ${chartId === undefined ? db`` : db`and r.helm_chart_id = ${chartId}`}
       ${after === undefined ? db`` : db`and r.id < ${after.id}`}
       ${name === undefined ? db`` : db`and r.name = ${name}`}
       ${namespace === undefined ? db`` : db`and r.namespace = ${namespace}`}
       ${status === undefined ? db`` : db`and r.status = ${status}`}
     order by r.id desc limit ${limit} offset ${offset}`;
}

/** The release; undefined when this org has none of that id. */
export async function findRelease(
  db: Db,
  org: OrgId,
  id: string,
): Promise<HelmReleaseRow | undefined> {
  const [row] = await db<HelmReleaseRow[]>`
    select ${columns(db)} from helm_releases r where r.org_id = ${org} and r.id = ${id}`;
  return row;
}

/** Ids of the records of a namespace that have all these labels, in the order of their keys. */
export async function listRecordIds(
  db: Db,
  org: OrgId,
  {
    chartId,
    namespace,
    labels,
  }: Omit<RecordPlace, "key"> & { readonly labels: Readonly<Record<string, string>> },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select r.id from helm_releases r
     where r.org_id = ${org} and r.helm_chart_id = ${chartId} and r.namespace = ${namespace}
       and r.labels @> ${JSON.stringify(labels)}::text::jsonb
     order by r.key`;
  return rows.map(({ id }) => id);
}

/** A sealed record: its bytes where they are few, else how to read them. */
export type FoundRecord = {
  readonly id: string;
  readonly keyId: string | null;
  readonly contents: Buffer | LargeSealed;
};

/** The sealed record of this id, or of this place; undefined when there is none. */
export async function findRecord(
  db: Db,
  org: OrgId,
  at: string | RecordPlace,
): Promise<FoundRecord | undefined> {
  const [row] = await db<RecordRow[]>`
    select r.id, r.key_id, length(r.contents) as stored_bytes,
           case when length(r.contents) <= ${mostAtOnceBytes} then r.contents end as contents
      from helm_releases r
     where r.org_id = ${org} and ${typeof at === "string" ? db`r.id = ${at}` : isAt(db, at)}`;
  if (row === undefined) return undefined;
  const { id, key_id: keyId, stored_bytes: storedBytes } = row;
  const thing = { orgId: org, id, part: "helm-release" };
  const read = (from: number, length: number): Promise<Buffer> =>
    readPiece(db, org, { id, from, length });
  return { id, keyId, contents: row.contents ?? { thing, keyId, storedBytes, read } };
}

type RecordRow = {
  id: string;
  key_id: string | null;
  stored_bytes: number;
  contents: Buffer | null;
};

async function readPiece(
  db: Db,
  org: OrgId,
  { id, from, length }: { readonly id: string; readonly from: number; readonly length: number },
): Promise<Buffer> {
  const [row] = await db<{ bytes: Buffer }[]>`
    select substring(r.contents from ${from + 1}::int for ${length}::int) as bytes
      from helm_releases r where r.org_id = ${org} and r.id = ${id}`;
  if (row === undefined) throw new Error(`the record ${id} is gone`);
  return row.bytes;
}

/** The id of the record of this place; undefined when there is none. */
export async function findRecordId(
  db: Db,
  org: OrgId,
  at: RecordPlace,
): Promise<string | undefined> {
  const [row] = await db<{ id: string }[]>`
    select r.id from helm_releases r where r.org_id = ${org} and ${isAt(db, at)}`;
  return row?.id;
}

/** Stores a record at its place; undefined when there is one already. */
export async function insertRecord(
  db: Db,
  org: OrgId,
  { place, record, actorId }: { place: RecordPlace; record: StoredRecord; actorId: string },
): Promise<HelmReleaseRow | undefined> {
  const { chartId, namespace, key } = place;
  const [row] = await db<HelmReleaseRow[]>`
    insert into helm_releases as r (id, org_id, helm_chart_id, namespace, key, name, version, status, labels,
                                    key_id, contents, size_bytes, created_by_id)
    values (${record.id}, ${org}, ${chartId}, ${namespace}, ${key}, ${record.name}, ${record.version},
            ${record.status}, ${JSON.stringify(record.labels)}::text::jsonb, ${record.keyId}, ${record.contents},
            ${record.sizeBytes}, ${actorId})
        on conflict (helm_chart_id, namespace, key) do nothing
    returning ${columns(db)}`;
  return row;
}

/** Replaces the record of this id; undefined when it is gone. */
export async function updateRecord(
  db: Db,
  org: OrgId,
  record: StoredRecord,
): Promise<HelmReleaseRow | undefined> {
  const [row] = await db<HelmReleaseRow[]>`
    update helm_releases r
       set name = ${record.name}, version = ${record.version}, status = ${record.status},
           labels = ${JSON.stringify(record.labels)}::text::jsonb, key_id = ${record.keyId},
           contents = ${record.contents}, size_bytes = ${record.sizeBytes}, updated_at = svc_now()
     where r.org_id = ${org} and r.id = ${record.id}
    returning ${columns(db)}`;
  return row;
}

/** Deletes a record; undefined when there was none. */
export async function deleteRecord(
  db: Db,
  org: OrgId,
  place: RecordPlace,
): Promise<HelmReleaseRow | undefined> {
  const [row] = await db<HelmReleaseRow[]>`
    delete from helm_releases r where r.org_id = ${org} and ${isAt(db, place)} returning ${columns(db)}`;
  return row;
}

function isAt(db: Db, { chartId, namespace, key }: RecordPlace): postgres.Fragment {
  return db`r.helm_chart_id = ${chartId} and r.namespace = ${namespace} and r.key = ${key}`;
}

function columns(db: Db): postgres.Fragment {
  return db`
    r.id, r.org_id, r.helm_chart_id, r.namespace, r.key, r.name, r.version, r.status, r.labels, r.key_id, r.size_bytes,
    r.created_at, r.updated_at, r.created_by_id`;
}
