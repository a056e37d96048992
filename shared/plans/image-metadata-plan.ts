import { z } from "zod";
import { flag, sandboxMode, text } from "./plan-members.ts";
import { registry } from "./registry-member.ts";

/** An image whose metadata is asked for. */
export const imageMetadataPlan = z.looseObject({
  registry,
  tag: text,
  /** Also: the manifests of its platforms; what attestations say; the layers that hold them. */
  include_index: flag,
  include_attestation_manifests: flag,
  include_attestation_layers: flag,
  sandbox_mode: sandboxMode,
  // What follows is ours.
  digest: text,
  /** In place of a tag: of those that there are, the newest that it means. */
  update_policy: text,
  /** Nothing is asked of the image but its digest. */
  digest_only: flag,
});
