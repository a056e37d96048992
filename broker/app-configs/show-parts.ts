import type { AppConfigPart } from "../../shared/api/latest-config-parts.ts";
import type { AppConfigDocument, Section } from "../../shared/app-config/config-files.ts";
import { problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listConfigsWith } from "./part-queries.ts";
import { findConfig } from "./queries.ts";
import type { AppConfigRow } from "./row.ts";
import { readDocument } from "./show-configs.ts";
import { storedDocument } from "./stored-document.ts";

type ReadPart = (document: AppConfigDocument) => object | undefined;

const withIndex = (list: readonly object[] = []) => list.map((one, index) => ({ ...one, index }));

/** What each part is called in the API, and its members there. */
const parts = {
  inputs: ({ inputs }) =>
    inputs && { input_groups: withIndex(inputs.group), inputs: withIndex(inputs.input) },
  sandbox: ({ sandbox }) => sandbox,
  runner: ({ runner }) => runner && { app_runner_type: runner.runner_type, ...runner },
  stack: ({ stack }) => stack,
  roles: ({ permissions }) =>
    permissions && {
      provision_aws_iam_role: permissions.provision_role,
      deprovision_aws_iam_role: permissions.deprovision_role,
      maintenance_aws_iam_role: permissions.maintenance_role,
      custom_aws_iam_roles: permissions.custom_roles ?? [],
      named_policies: permissions.named_policies ?? [],
    },
  "break glass roles": ({ break_glass }) => break_glass && { aws_iam_roles: break_glass.role },
  "operation roles": ({ operation_roles }) => operation_roles,
  policies: ({ policies }) => policies && { policies: policies.policy },
  metadata: ({ metadata }) => metadata,
  "kubernetes contexts": ({ kubernetes_contexts: contexts }) =>
    contexts && { contexts: contexts.context },
  "trigger rules": ({ trigger_rules: rules }) => rules && { trigger_rules: rules.rule },
  secrets: ({ secrets }) => secrets && { secrets: secrets.secret },
} as const satisfies Record<string, ReadPart>;

type Part = keyof typeof parts;

/** In which section of a config each stands. */
const sections: Readonly<Record<Part, Section>> = {
  inputs: "inputs",
  sandbox: "sandbox",
  runner: "runner",
  stack: "stack",
  roles: "permissions",
  "break glass roles": "break_glass",
  "operation roles": "operation_roles",
  policies: "policies",
  metadata: "metadata",
  "kubernetes contexts": "kubernetes_contexts",
  "trigger rules": "trigger_rules",
  secrets: "secrets",
};

/** A part of an app's active config; 404 where there is none. */
export async function showLatestPart(
  db: Db,
  org: OrgId,
  app: string,
  part: Part,
): Promise<AppConfigPart> {
  const { active_config_id: id } = await requireApp(db, org, app);
  if (id === null) throw noPart("This app has no active config");
  const row = await findConfig(db, org, { app, id });
  const document = await readDocument(db, org, id);
  const shown = row && toPart(row, document, part);
  if (shown === undefined) throw noPart(`The active config has no ${part}`);
  return shown;
}

/** A part of one of an app's configs; 404 where that has none, or is not whole. */
export async function showPart(
  db: Db,
  org: OrgId,
  which: { readonly app: string; readonly id: string },
  part: Part,
): Promise<AppConfigPart> {
  const row = await findConfig(db, org, which);
  if (row === undefined) throw problem.notFound("app config");
  const shown = toPart(row, await storedDocument(db, org, row.id), part);
  if (shown === undefined) throw noPart(`This config has no ${part}`);
  return shown;
}

/** The configs of an app that have a part, each with that. */
export async function listParts(
  db: Db,
  org: OrgId,
  { app, part, ...request }: ListRequest & { readonly app: string; readonly part: Part },
): Promise<(AppConfigRow & { readonly sort_key: string; readonly shown: AppConfigPart })[]> {
  const rows = await listConfigsWith(db, org, { app, section: sections[part], ...request });
  const found = [];
  for (const row of rows) {
    const shown = toPart(row, await storedDocument(db, org, row.id), part);
    if (shown !== undefined) found.push({ ...row, shown });
  }
  return found;
}

const noPart = (why: string): Error => problem.notFound("app config part", `${why}.`);

function toPart(
  row: AppConfigRow,
  document: AppConfigDocument | undefined,
  part: Part,
): AppConfigPart | undefined {
  const read: ReadPart = parts[part];
  const members = document && read(document);
  if (members === undefined) return undefined;
  const { id, org_id, app_id, created_by_id } = row;
  const created_at = row.created_at.toISOString();
  return { id, org_id, app_id, app_config_id: id, created_at, created_by_id, ...members };
}
