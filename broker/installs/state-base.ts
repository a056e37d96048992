import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Brands } from "../../shared/brands.ts";
import type { InstallRow } from "./install-row.ts";

type Input = NonNullable<NonNullable<AppConfigDocument["inputs"]>["input"]>[number];
type Name = { readonly name: string };
type Named = { readonly id: string } & Name;
type Component = NonNullable<AppConfigDocument["components"]>[number];
type Context = NonNullable<
  NonNullable<AppConfigDocument["kubernetes_contexts"]>["context"]
>[number];

/** An image as it is deployed: its repository with its host. */
export type DeployedImage = {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  /** The Secret by which the install's clusters pull it, in the namespace of what needs it; empty where they need none. */
  readonly pull_secret: string;
};

/** A component of an install that was ever to be deployed; without a build nothing of it is there. */
export type DeployedComponent = Name & {
  readonly status: string;
  readonly build_id: string | null;
  readonly component_id: string;
  readonly install_component_id: string;
  readonly image?: DeployedImage | undefined;
};
type DeployedSandbox = {
  readonly status: string;
  /** terraform or pulumi. */
  readonly type: string;
  /** The commit that it was built of; empty where that is not known, or nothing of it is there. */
  readonly version: string;
};

/** What is known of a secret of an install, never its value: where it is, and what the last sync of it told. */
export type KnownSecret = Name & {
  readonly place?: SecretPlaceMembers | undefined;
  readonly synced?: SyncedSecret | undefined;
};
/** In one of three stores; empty in the others. */
export type SecretPlaceMembers = {
  readonly arn: string;
  readonly gcp_secret_name: string;
  readonly azure_key_vault_secret_id: string;
};
export type SyncedSecret = {
  /** The first of its copies; empty of one that is copied nowhere. */
  readonly kubernetes_namespace: string;
  readonly kubernetes_name: string;
  readonly kubernetes_key: string;
  /** In bytes. */
  readonly length: number;
  readonly exists: boolean;
  readonly timestamp: string;
};

/** What a state is made of besides its values, as JSON: no more of a config than that. */
export type StateBase = {
  readonly org: Named;
  readonly app: Named;
  readonly install: Pick<
    InstallRow,
    "id" | "name" | "cloud_platform" | "cloud_account" | "runner_group_id" | "labels"
  > &
    Partial<Pick<InstallRow, "sandbox_mode">>;
  readonly runner: { readonly id: string; readonly status: string };
  readonly config: {
    readonly inputs?:
      | { readonly input?: readonly Pick<Input, "name" | "sensitive" | "default">[] | undefined }
      | undefined;
    readonly actions?: readonly Name[] | undefined;
    readonly components?: readonly Pick<Component, "name" | "var_name">[] | undefined;
    readonly kubernetes_contexts?:
      | { readonly context?: readonly Context[] | undefined }
      | undefined;
    /** With which it was read. */
    readonly brands?: Brands | undefined;
  };
  /** What is deployed; absent of an install that never had any of it. Outputs are among the values. */
  readonly deployed?:
    | {
        readonly components: readonly DeployedComponent[];
        readonly sandbox?: DeployedSandbox | undefined;
      }
    | undefined;
  /** The secrets of its config; absent where that has none. */
  readonly secrets?: readonly KnownSecret[] | undefined;
};

/** As much of an install as its state is made of. */
export function stateBase({
  org,
  app,
  install,
  runner,
  config,
  deployed,
  secrets,
}: Pick<StateBase, "org" | "app" | "install" | "runner" | "deployed" | "secrets"> & {
  readonly config: AppConfigDocument;
}): StateBase {
  const { id, name, cloud_platform, cloud_account, runner_group_id, labels, sandbox_mode } =
    install;
  const contexts = config.kubernetes_contexts?.context ?? [];
  return {
    org: { id: org.id, name: org.name },
    app: { id: app.id, name: app.name },
    install: {
      id,
      name,
      cloud_platform,
      cloud_account,
      runner_group_id,
      labels,
      ...(sandbox_mode !== undefined && { sandbox_mode }),
    },
    runner: { id: runner.id, status: runner.status },
    config: {
      inputs: { input: (config.inputs?.input ?? []).map(inputOf) },
      actions: namesOf(config.actions),
      components: (config.components ?? []).map(componentOf),
      ...(contexts.length > 0 && { kubernetes_contexts: { context: contexts } }),
      ...(config.brands !== undefined && { brands: config.brands }),
    },
    ...(deployed !== undefined && { deployed }),
    ...(secrets !== undefined && { secrets }),
  };
}

const inputOf = ({ name, sensitive, default: preset }: Input) => ({
  name,
  ...(sensitive !== undefined && { sensitive }),
  ...(preset !== undefined && { default: preset }),
});

const componentOf = ({ name, var_name }: Component) => ({
  name,
  ...(var_name !== undefined && { var_name }),
});

const namesOf = (all: readonly Name[] = []): Name[] => all.map(({ name }) => ({ name }));
