import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findOrg } from "../orgs/queries.ts";
import type { InstallRow } from "./install-row.ts";
import { labelOrder } from "./label-templates.ts";
import type { LabelOrder } from "./render-labels.ts";
import { firstValues, type InputValue, type StoredValues } from "./state-values.ts";

type Texts = Readonly<Record<string, string>>;
type NewInstallParts = {
  readonly draft: Pick<
    InstallRow,
    "id" | "name" | "cloud_platform" | "cloud_account" | "runner_group_id" | "runner_id" | "labels"
  > & { readonly given_group_id: string | undefined };
  readonly templates: Texts;
  readonly app: { readonly id: string; readonly name: string };
  readonly config: AppConfigDocument;
  readonly inputs: Readonly<Record<string, InputValue>>;
};

/** What is to be rendered of the labels of an install that is to be made, by what is known of it; undefined where nothing is. */
export async function firstLabels(
  db: Db,
  org: OrgId,
  { draft, templates, app, config, inputs }: NewInstallParts,
): Promise<{ readonly given: LabelOrder; readonly values: StoredValues } | undefined> {
  if (Object.keys(templates).length === 0) return undefined;
  const secrets = await db<{ name: string }[]>`
    select s.name from app_secrets s where s.org_id = ${org} and s.app_id = ${app.id}`;
  const [runner] =
    draft.given_group_id === undefined
      ? [{ id: draft.runner_id, status: "awaiting-heartbeat" }]
      : await db<{ id: string; status: string }[]>`
          select u.id, u.status from runners u
           where u.org_id = ${org} and u.runner_group_id = ${draft.given_group_id} and u.lifecycle <> 'deleted'`;
  const facts = {
    install: { ...draft, runner_group_id: draft.given_group_id ?? draft.runner_group_id },
    org: { id: org, name: (await findOrg(db, org))?.name ?? "" },
    app,
    config,
    runner: runner ?? { id: "", status: "" },
  };
  const hidden = secrets.map(({ name }) => [name, hiddenValue] as const);
  return {
    given: labelOrder(facts, templates),
    values: firstValues({ inputs, secrets: hidden }),
  };
}
