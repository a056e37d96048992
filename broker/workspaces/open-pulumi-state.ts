import { randomBytes } from "node:crypto";
import type { PulumiStateKeys } from "../../shared/api/terraform-state.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listStatesById } from "./queries.ts";
import { requireWorkspace } from "./show-workspace.ts";

type Row = { readonly key_id: string | null; readonly contents: Buffer };

const passphraseBytes = 32;

/** The current revision of a Pulumi state, 0 for none, and the workspace's passphrase, which is made when it is asked for first. */
export async function openPulumiState(
  { db, seals }: Pick<Broker, "db" | "seals">,
  org: OrgId,
  workspaceId: string,
): Promise<PulumiStateKeys> {
  const { state_id: stateId } = await requireWorkspace(db, org, workspaceId);
  const [state] = stateId === null ? [] : await listStatesById(db, org, [stateId]);
  const thing = { orgId: org, id: workspaceId, part: "pulumi-passphrase" };
  const { keyId, bytes } = seals.seal(
    thing,
    Buffer.from(randomBytes(passphraseBytes).toString("base64url")),
  );
  const [row] = await db<Row[]>`
    insert into pulumi_passphrases as p (workspace_id, org_id, key_id, contents)
    values (${workspaceId}, ${org}, ${keyId}, ${bytes})
        on conflict (org_id, workspace_id) do update set workspace_id = excluded.workspace_id
    returning p.key_id, p.contents`;
  if (row === undefined) throw new Error("a passphrase was neither made nor found");
  const passphrase = seals.open(thing, { keyId: row.key_id, bytes: row.contents });
  return { revision: state?.revision ?? 0, passphrase: passphrase.toString("utf8") };
}
