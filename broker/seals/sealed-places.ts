import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import { resealAppSecret } from "./reseal-app-secret.ts";
import { resealRegistryLogin } from "./reseal-registry-login.ts";
import {
  holdsContents,
  listEvidenceToReseal,
  resealEvidence,
  resealOutputs,
  resealResult,
} from "./reseal-reports.ts";
import { openPartsKey, sealPartsKey } from "./sealed-parts.ts";
import type { PlaceWalk, SealedPlace } from "./sealed-place.ts";
import { sealedRegistryKeys } from "./sealed-registry-keys.ts";
import { sealedSignals } from "./sealed-signals.ts";
import { sealedWebhooks } from "./sealed-webhooks.ts";

type Named = {
  readonly table: string;
  readonly id: string;
  /** Whether a row without a key holds readable contents; by default every row does. */
  readonly holdsPlain?: (db: Db) => postgres.Fragment;
};
type Row = { readonly org_id: string; readonly key_id: string | null; readonly bytes: Buffer };
type Walked = { readonly last: string | null; readonly ids: string[] | null };

const walkAtOnce = 1000;

/** Everything that is sealed. Values in parts have keys of their own: only these are resealed. */
export const sealedPlaces: readonly SealedPlace[] = [
  contents({ table: "runner_job_plans", id: "runner_job_id" }, "plan"),
  contents({ table: "helm_releases", id: "id" }, "helm-release"),
  contents({ table: "queue_emitters", id: "id" }, "template"),
  contents({ table: "install_inputs", id: "id" }, "install-inputs"),
  contents({ table: "install_states", id: "id" }, "install-state"),
  contents({ table: "workflow_givens", id: "workflow_id" }, "workflow-given"),
  contents({ table: "workflow_approvals", id: "id" }, "approval"),
  contents({ table: "pulumi_passphrases", id: "workspace_id" }, "pulumi-passphrase"),
  contents({ table: "shown_plans", id: "id" }, "shown-plan"),
  place(
    { table: "runner_job_execution_results", id: "execution_id", holdsPlain: holdsContents },
    resealResult,
  ),
  place({ table: "runner_job_execution_outputs", id: "execution_id" }, resealOutputs),
  {
    table: "runner_job_execution_evidence",
    due: (db, { newest }) => listEvidenceToReseal(db, newest),
    reseal: resealEvidence,
  },
  keyOfParts({ table: "terraform_workspace_states", id: "id" }),
  keyOfParts({ table: "source_blobs", id: "id" }),
  keyOfParts({ table: "terraform_rescued_states", id: "id" }),
  keyOfParts({ table: "terraform_workspace_state_jsons", id: "workspace_id" }),
  ...sealedSignals,
  sealedWebhooks,
  sealedRegistryKeys,
  place({ table: "registry_fixed_logins", id: "id" }, resealRegistryLogin),
  place({ table: "app_secrets", id: "id" }, resealAppSecret),
];

/** Rows are walked in the order of their ids. */
function place(
  { table, id, holdsPlain = (db) => db`true` }: Named,
  reseal: SealedPlace["reseal"],
): SealedPlace {
  return { table, due, reseal };

  async function* due(db: Db, { newest, signal }: PlaceWalk): AsyncGenerator<string> {
    for (let after: string | null = ""; after !== null && !signal.aborted;) {
      const [walked]: Walked[] = await db<Walked[]>`
        select max(w.id) as last, array_agg(w.id) filter (where w.is_due) as ids
          from (select ${db(id)}::text as id,
                       case when key_id is null then ${holdsPlain(db)} else key_id <> ${newest} end as is_due
                  from ${db(table)} where ${db(id)} > ${after} order by ${db(id)} limit ${walkAtOnce}) w`;
      yield* walked?.ids ?? [];
      after = walked?.last ?? null;
    }
  }
}

/** Helm rewrites its records, so only the bytes that were read are replaced. */
function contents({ table, id: column }: Named, part: string): SealedPlace {
  return place({ table, id: column }, async ({ db, seals }, id) => {
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
  });
}

function keyOfParts({ table, id: column }: Named): SealedPlace {
  return place({ table, id: column }, async ({ db, seals }, named) => {
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
  });
}
