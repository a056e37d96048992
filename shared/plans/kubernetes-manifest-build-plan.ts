import { z } from "zod";
import { flag, secretText, secretTexts, text, words } from "./plan-members.ts";

/** Manifests: as they are, or what kustomize makes of a folder. */
export const kubernetesManifestBuildPlan = z.looseObject({
  inline_manifest: secretText,
  kustomize_config: z
    .looseObject({ enable_helm: flag, load_restrictor: text, patches: secretTexts })
    .nullish(),
  kustomize_path: text,
  labels: words,
  source_type: text,
});
