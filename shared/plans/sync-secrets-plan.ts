import { z } from "zod";
import { cloudAuth, object, sandboxMode, text } from "./plan-members.ts";

const secret = z.looseObject({
  namespace: text,
  name: text,
  key_name: text,
  targets: z.array(z.unknown()).nullish(),
  format: text,
});

/** Secrets that are copied into a cluster. */
export const syncSecretsPlan = z.looseObject({
  kubernetes_secrets: z.array(secret).nullish(),
  cluster_info: object,
  ...cloudAuth,
  sandbox_mode: sandboxMode,
});
