import { timingSafeEqual } from "node:crypto";
import { canonicalJson, checksumOf } from "../../shared/app-config/canonical-json.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { openJson } from "./install-facts.ts";
import type { InstallRow } from "./install-row.ts";
import { findInstall } from "./install-rows.ts";
import type { ShownRow, StoredConfig } from "./to-install.ts";

type Texts = Readonly<Record<string, string>>;
type Config = Partial<
  Pick<StoredConfig, "approval_option" | "component_toggles" | "labels" | "telemetry_enabled">
>;
/** What a request to create an install says of it. */
export type InstallContent = Pick<
  InstallRow,
  | "cloud_platform"
  | "cloud_account"
  | "expected_account"
  | "labels"
  | "label_templates"
  | "metadata"
  | "sandbox_mode"
> & {
  readonly given_group_id: string | undefined;
  readonly config: {
    readonly [key in keyof Config]: Config[key] | null | undefined;
  };
  readonly values: Readonly<Record<string, unknown>>;
};

/** Whether an install is as a request would make it. Inputs are compared by their checksums: an answer tells nothing of them. */
export async function isSameInstall(
  { db, seals }: { readonly db: Db; readonly seals: Pick<Seals, "open"> },
  org: OrgId,
  { id, content }: { readonly id: string; readonly content: InstallContent },
): Promise<boolean> {
  const row = await findInstall(db, org, id);
  if (row === undefined) return false; // it was deleted meanwhile
  const values = await readValues({ db, seals }, org, row);
  const [there, given] = [storedContent(row, values), givenContent(content, row)];
  return timingSafeEqual(digestOf(there), digestOf(given));
}

const digestOf = (content: object): Buffer => Buffer.from(checksumOf(canonicalJson(content)));

function storedContent(row: ShownRow, values: unknown): object {
  return {
    cloud: [row.cloud_platform, row.cloud_account, row.expected_account],
    labels: ownLabels(row.labels, row),
    templates: row.label_templates,
    metadata: row.metadata,
    sandboxMode: row.sandbox_mode,
    group: row.has_own_runner ? null : row.runner_group_id,
    config: configOf(row.config ?? {}),
    values,
  };
}

function givenContent(content: InstallContent, row: ShownRow): object {
  return {
    cloud: [content.cloud_platform, content.cloud_account, content.expected_account],
    labels: ownLabels(content.labels, row),
    templates: content.label_templates,
    metadata: content.metadata,
    sandboxMode: content.sandbox_mode,
    group: content.given_group_id ?? null,
    config: configOf(content.config),
    values: content.values,
  };
}

/** Labels without those that the app or a template gives. */
function ownLabels(
  labels: Texts,
  { app_default_labels: defaults, label_templates: templates }: ShownRow,
): Texts {
  const own = Object.entries(labels).filter(
    ([key]) => !Object.hasOwn(defaults, key) && !Object.hasOwn(templates, key),
  );
  return Object.fromEntries(own);
}

const configOf = (config: InstallContent["config"]): object => ({
  approval: config.approval_option ?? null,
  toggles: config.component_toggles ?? {},
  labels: config.labels ?? {},
  telemetry: config.telemetry_enabled ?? null,
});

async function readValues(
  { db, seals }: { readonly db: Db; readonly seals: Pick<Seals, "open"> },
  org: OrgId,
  { id, inputs_version: version }: ShownRow,
): Promise<unknown> {
  const [row] = await db<{ id: string; key_id: string | null; contents: Buffer }[]>`
    select n.id, n.key_id, n.contents from install_inputs n
     where n.org_id = ${org} and n.install_id = ${id} and n.version = ${version}`;
  if (row === undefined) return undefined;
  const sealed = { keyId: row.key_id, bytes: row.contents };
  return openJson(seals, { orgId: org, id: row.id, part: "install-inputs" }, sealed);
}
