import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Brands } from "../../shared/brands.ts";
import type { InstallRow } from "./install-row.ts";

type Input = NonNullable<NonNullable<AppConfigDocument["inputs"]>["input"]>[number];
type Name = { readonly name: string };
type Named = { readonly id: string } & Name;

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
    readonly components?: readonly Name[] | undefined;
    /** With which it was read. */
    readonly brands?: Brands | undefined;
  };
};

/** As much of an install as its state is made of. */
export function stateBase({
  org,
  app,
  install,
  runner,
  config,
}: Pick<StateBase, "org" | "app" | "install" | "runner"> & {
  readonly config: AppConfigDocument;
}): StateBase {
  const { id, name, cloud_platform, cloud_account, runner_group_id, labels, sandbox_mode } =
    install;
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
      components: namesOf(config.components),
      ...(config.brands !== undefined && { brands: config.brands }),
    },
  };
}

const inputOf = ({ name, sensitive, default: preset }: Input) => ({
  name,
  ...(sensitive !== undefined && { sensitive }),
  ...(preset !== undefined && { default: preset }),
});

const namesOf = (all: readonly Name[] = []): Name[] => all.map(({ name }) => ({ name }));
