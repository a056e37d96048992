import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { keyedId } from "../database/keyed-id.ts";
import { newId } from "../database/new-id.ts";
import type { PartConfigRow } from "../named-parts/list-part-configs.ts";
import type { Actor } from "../tokens/actor.ts";
import { checksumOfPart } from "./checksum-of-part.ts";
import type { SandboxPart } from "./component-part.ts";

/** Who asks for builds; its id is empty where nobody does. */
export type Asker = Pick<Actor, "id" | "orgId" | "requestSeed">;

/** How builds are made that somebody asks for. */
export type BuildHow = {
  readonly gitRef: string;
  readonly isForced: boolean;
  /** A sync, or a look at images, has them built, and nobody by themselves: they take no others' place. */
  readonly isBySync?: true;
};

/** What is to be built. */
export type Beginning = {
  readonly app: string;
  readonly configId: string;
  readonly parts: readonly PartConfigRow[];
  readonly sandbox?: SandboxPart;
  readonly how: BuildHow;
  readonly metadata: Readonly<Record<string, string>>;
};

/** A workflow that builds, and the builds that it makes, as begin_builds takes them. */
export function draftBuilds(
  { id: actorId, orgId, requestSeed }: Asker,
  {
    app,
    configId,
    parts,
    sandbox,
    how,
    metadata,
    workflowId,
    config,
  }: Beginning & {
    readonly workflowId: string;
    readonly config: AppConfigDocument | undefined;
  },
) {
  const said = new Map((config?.components ?? []).map((one) => [one.name, one]));
  const builds = [
    ...parts.map(({ id, part_id, name }) => ({
      id: keyedId("bld", requestSeed, part_id),
      component_id: part_id,
      component_config_id: id,
      component_name: name,
      component_type: said.get(name)?.type ?? "",
      checksum: checksumOfPart(said.get(name)),
    })),
    ...(sandbox === undefined ? [] : [sandboxRow(sandbox, requestSeed)]),
  ].map((row) => ({
    ...row,
    app_config_id: configId,
    git_ref: how.gitRef,
    is_forced: how.isForced,
    is_by_sync: how.isBySync === true,
  }));
  const workflow = {
    id: workflowId,
    org_id: orgId,
    type: "app_config_build",
    owner_type: "apps",
    owner_id: app,
    role: "",
    plan_only: false,
    approval_option: "prompt",
    params: { app_config_id: configId },
    metadata,
    signal_id: newId("sig"),
    run_id: newId("wfr"),
    created_by_id: actorId,
  };
  return { workflow, builds };
}

function sandboxRow(sandbox: SandboxPart, seed: Asker["requestSeed"]) {
  return {
    id: keyedId("sbd", seed, "sandbox"),
    component_name: "sandbox",
    component_type: sandbox.type === "pulumi" ? "pulumi" : "terraform_module",
    checksum: checksumOfPart(sandbox),
  };
}
