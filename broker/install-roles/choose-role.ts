import type { RoleSelectionRecord } from "../../shared/api/install-role-usages.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { operations } from "../../shared/app-config/members/shared-members.ts";
import type { RoleSource } from "../../shared/role-sources.ts";

/** What a job does, and for what of the config. Copies of secrets are nobody's. */
export type Acting = {
  readonly operation: (typeof operations)[number] | "sync-secrets";
  readonly sandbox?: true;
  readonly component?: string;
  readonly action?: string;
};
export type ChosenRole = {
  readonly role_name: string;
  readonly role_source: RoleSource;
  readonly role_selection_trace: readonly RoleSelectionRecord[];
};

/**
 * As whom a job of an install without a stack runs: as its runner, whatever roles the config has for it. Their names are as the config
 * has them, and none of them is there.
 */
export function chooseRole(config: AppConfigDocument, acting: Acting): ChosenRole {
  const runner = { role_id: "", role_name: "", role_source: "runner" } as const;
  const { role_name, role_source } = runner;
  const chosen = { ...runner, available: true, selected: true };
  return {
    role_name,
    role_source,
    role_selection_trace: [...rolesFor(config, acting).map(notThere), chosen],
  };
}

type Role = Pick<RoleSelectionRecord, "role_id" | "role_name" | "role_source">;

const notThere = (role: Role): RoleSelectionRecord => ({
  ...role,
  available: false,
  selected: false,
});

/** The roles that a config has for it, the first that count more. */
function rolesFor(config: AppConfigDocument, acting: Acting): readonly Role[] {
  const { operation, sandbox, component, action: actionName } = acting;
  const action = config.actions?.find(({ name }) => name === actionName);
  const part =
    sandbox === true ? config.sandbox : config.components?.find(({ name }) => name === component);
  const own =
    action?.role ?? part?.operation_roles?.find((one) => one.operation === operation)?.role;
  const arn = action?.break_glass_role_arn;
  const ruled = ruleFor(config, acting);
  return [
    ...(arn ? [{ role_id: arn, role_name: "", role_source: "break_glass" } as const] : []),
    ...(own ? [named(own, "entity")] : []),
    ...(ruled === undefined ? [] : [named(ruled, "matrix")]),
    named(defaultRole(config, operation), "default"),
  ];
}

const named = (role_name: string, role_source: RoleSource): Role => ({
  role_id: "",
  role_name,
  role_source,
});

/** The exact principal counts more than `*`; a principal may be of a brand, as `svc::component:web`. */
function ruleFor(config: AppConfigDocument, acting: Acting): string | undefined {
  const rules = (config.operation_roles?.rules ?? []).filter(
    ({ operation }) => operation === acting.operation,
  );
  const { sandbox, component, action } = acting;
  const principal =
    sandbox === true
      ? "sandbox"
      : component === undefined
        ? `action:${action ?? ""}`
        : `component:${component}`;
  const of = (wanted: string) =>
    rules.find((one) => one.principal.replace(/^[^:]+::/, "") === wanted)?.role;
  return of(principal) ?? of("*");
}

function defaultRole({ permissions }: AppConfigDocument, operation: Acting["operation"]): string {
  const kind = operation === "provision" || operation === "deprovision" ? operation : "maintenance";
  return permissions?.[`${kind}_role`]?.name ?? kind;
}
