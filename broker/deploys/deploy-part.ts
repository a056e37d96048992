import type { ComponentConfigPart, SandboxConfigPart } from "./deploy-order.ts";
import type { BuildToDeploy } from "./deploy-part-queries.ts";

/** What a config says of something that is deployed. */
export type DeployPart =
  | { readonly component: ComponentConfigPart }
  | { readonly sandbox: SandboxConfigPart };

/** The same, with the config and what tells it from others. */
export type ConfiguredPart = {
  readonly configId: string;
  readonly part: DeployPart;
  readonly checksum: string;
};

/** A build, with what its own config says of what it is of. */
export type ChosenBuild = {
  readonly build: Pick<BuildToDeploy, "id" | "status" | "artifact">;
  readonly configured: ConfiguredPart;
};

/** Members that decide how its plans are handled. */
export const membersOf = (
  part: DeployPart,
): Pick<
  ComponentConfigPart & SandboxConfigPart,
  "skip_noops" | "max_auto_retries" | "auto_approve_on_policies_passing"
> => ("component" in part ? part.component : part.sandbox);

/** Types of components that are images. */
export const imageTypes: readonly string[] = ["docker_build", "container_image", "external_image"];

/** Whether it is an image, which is not applied but copied to where it is used. */
export const isImage = (part: DeployPart): boolean =>
  "component" in part && imageTypes.includes(part.component.type);

/** The type of what is deployed; of a sandbox terraform or pulumi. */
export const typeOfPart = (part: DeployPart): string =>
  "component" in part
    ? part.component.type
    : part.sandbox.type === "pulumi"
      ? "pulumi"
      : "terraform";
