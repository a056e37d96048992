import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import {
  choosePolicies,
  type ConfigPolicy,
  type PolicyType,
} from "../../shared/policies/choose-policies.ts";

type Built = { readonly component_type: string; readonly component_name: string };

/** The policies of a config that judge what a build has made: those of images. */
export function policiesOfBuild(
  config: Pick<AppConfigDocument, "policies">,
  { component_type: type, component_name: component }: Built,
): readonly ConfigPolicy[] {
  const judged = imageTypes[type];
  return judged === undefined ? [] : choosePolicies(config, { type: judged, component });
}

const imageTypes: Readonly<Record<string, PolicyType>> = {
  docker_build: "docker_build",
  container_image: "container_image",
  external_image: "container_image",
};
