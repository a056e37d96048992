import { checksumOfPart } from "../builds/checksum-of-part.ts";
import type { ComponentPart } from "../builds/component-part.ts";

type Image = Extract<ComponentPart, { readonly type: "container_image" | "external_image" }>;

/** A component of a config that follows an image, and by what. */
export type FollowedImage = {
  readonly component: Image;
  readonly policy: string;
  /** Of all that the config says of the component. */
  readonly checksum: string;
};

/** The components of a config that follow images by an `update_policy`. */
export function followedImages(
  components: readonly ComponentPart[] | undefined = [],
): readonly FollowedImage[] {
  return components.flatMap((component) => {
    if (component.type !== "container_image" && component.type !== "external_image") return [];
    const { public: open, aws_ecr, gcp_gar, azure_acr } = component;
    const policy = (open ?? aws_ecr ?? gcp_gar ?? azure_acr)?.update_policy;
    return policy === undefined ? [] : [{ component, policy, checksum: checksumOfPart(component) }];
  });
}
