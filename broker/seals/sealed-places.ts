import { hash } from "node:crypto";
import type { Db } from "../database/connect.ts";
import { openPartsKey, sealPartsKey } from "./sealed-parts.ts";
import type { Seals } from "./seals.ts";

type Parts = { readonly db: Db; readonly seals: Seals };

/** A table whose rows hold something sealed, and how one of them is sealed anew with the newest key. */
export type SealedPlace = {
  readonly table: string;
  readonly id: string;
  /** Rows without a key are readable ones, which are sealed too; elsewhere they hold nothing. */
  readonly sealsPlain: boolean;
  readonly sealAnew: (parts: Parts, id: string) => Promise<void>;
};

type Row = { readonly org_id: string; readonly key_id: string | null; readonly bytes: Buffer };

/** Everything that is sealed. Bytes that are kept in parts have a key of their own: only that is sealed anew. */
export const sealedPlaces: readonly SealedPlace[] = [
  contents({ table: "runner_job_plans", id: "runner_job_id", part: "plan" }),
  contents({ table: "helm_releases", id: "id", part: "helm-release" }),
  {
    table: "runner_job_execution_results",
    id: "execution_id",
    sealsPlain: false,
    sealAnew: sealResult,
  },
  keyOfParts("terraform_workspace_states", "id"),
  keyOfParts("terraform_workspace_state_jsons", "workspace_id"),
];

type Contents = { readonly table: string; readonly id: string; readonly part: string };

/** Helm writes its records again: only the bytes that were read are replaced. */
function contents({ table, id: column, part }: Contents): SealedPlace {
  const sealAnew: SealedPlace["sealAnew"] = async ({ db, seals }, id) => {
    const [row] = await db<Row[]>`
      select org_id, key_id, contents as bytes from ${db(table)} where ${db(column)} = ${id}`;
    if (row === undefined) return;
    const thing = { orgId: row.org_id, id, part };
    const { keyId, bytes } = seals.seal(
      thing,
      seals.open(thing, { keyId: row.key_id, bytes: row.bytes }),
    );
    await db`
      update ${db(table)} set key_id = ${keyId}, contents = ${bytes}
       where ${db(column)} = ${id} and key_id is not distinct from ${row.key_id} and contents = ${row.bytes}`;
  };
  return { table, id: column, sealsPlain: true, sealAnew };
}

async function sealResult({ db, seals }: Parts, id: string): Promise<void> {
  const [row] = await db<Row[]>`
    select org_id, key_id, sealed_contents as bytes from runner_job_execution_results
     where execution_id = ${id} and key_id is not null`;
  if (row === undefined) return;
  const thing = { orgId: row.org_id, id, part: "result" };
  const plain = seals.open(thing, { keyId: row.key_id, bytes: row.bytes });
  const { keyId, bytes } = seals.seal(thing, plain);
  const fingerprint = seals.fingerprints(hash("sha256", plain, "buffer"))[keyId ?? ""] ?? "";
  await db`
    update runner_job_execution_results
       set key_id = ${keyId}, sealed_contents = ${bytes}, fingerprint = decode(${fingerprint}, 'hex')
     where execution_id = ${id} and key_id = ${row.key_id}`;
}

function keyOfParts(table: string, column: string): SealedPlace {
  const sealAnew: SealedPlace["sealAnew"] = async ({ db, seals }, named) => {
    const [row] = await db<(Row & { id: string })[]>`
      select id, org_id, key_id, sealed_key as bytes from ${db(table)} where ${db(column)} = ${named}`;
    if (row === undefined) return;
    const thing = { orgId: row.org_id, id: row.id, part: "key" };
    const parts = openPartsKey(seals, thing, { keyId: row.key_id, bytes: row.bytes });
    const { keyId, bytes } = sealPartsKey(seals, thing, parts);
    const fingerprint = seals.fingerprints(parts.sha256)[keyId ?? ""] ?? "";
    await db`
      update ${db(table)}
         set key_id = ${keyId}, sealed_key = ${bytes}, fingerprint = decode(${fingerprint}, 'hex')
       where id = ${row.id} and key_id is not distinct from ${row.key_id}`;
  };
  return { table, id: column, sealsPlain: true, sealAnew };
}
