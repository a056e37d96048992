import type { AppConfigPart } from "../../shared/api/latest-config-parts.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { readDocument } from "./show-configs.ts";

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

/** A part of an app's active config; 404 where there is none. */
export async function showLatestPart(
  db: Db,
  org: OrgId,
  app: string,
  part: keyof typeof parts,
): Promise<AppConfigPart> {
  const { active_config_id: id } = await requireApp(db, org, app);
  const document = await readDocument(db, org, id);
  const read: ReadPart = parts[part];
  const members = document && read(document);
  if (members === undefined || id === null) {
    const why = id === null ? "This app has no active config" : `The active config has no ${part}`;
    throw problem.notFound("app config part", `${why}.`);
  }
  return { id, org_id: org, app_id: app, app_config_id: id, ...members };
}
