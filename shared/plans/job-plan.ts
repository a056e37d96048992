import { z } from "zod";
import { object, secretText, text, texts, words } from "./plan-members.ts";

const amount = z.union([z.string(), z.number()]).nullish();
const amounts = z
  .looseObject({ cpu: amount, memory: amount, "ephemeral-storage": amount })
  .nullish();

/** A Job in the install's cluster: an image that is run once. */
export const jobPlan = z.looseObject({
  image_url: text,
  tag: text,
  cmd: texts,
  args: texts,
  env_vars: words,
  // What follows is ours.
  cluster_info: object,
  digest: text,
  /** What its name begins with. */
  name: text,
  namespace: text,
  secret_env_vars: z.record(z.string(), secretText).nullish(),
  service_account: text,
  resources: z.looseObject({ requests: amounts, limits: amounts }).nullish(),
  /** Names of secrets that are there. */
  image_pull_secrets: texts,
  /** Of its pods. */
  annotations: words,
  node_selector: words,
  tolerations: z.array(z.looseObject({})).nullish(),
  /** So often a pod that failed is followed by another. */
  backoff: z.int().nullish(),
  /** Nanoseconds that it may take in the cluster, waiting for a node too. */
  timeout: z.int().nullish(),
  /** Nanoseconds to wait until a pod runs. */
  start_timeout: z.int().nullish(),
  /** Nanoseconds that it stays in the cluster after its end. */
  keep: z.int().nullish(),
});
