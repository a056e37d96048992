import { z } from "zod";
import { awsAuth, azureAuth, gcpAuth } from "./cloud-auth.ts";
import { flag, secretText, secretWords, text } from "./plan-members.ts";

/** A cluster: its kubeconfig, or its address and who signs in there. */
export const clusterInfo = z
  .looseObject({
    id: text,
    endpoint: text,
    ca_data: text,
    kube_config: secretText,
    env_vars: secretWords,
    aws_auth: awsAuth,
    azure_auth: azureAuth,
    gcp_auth: gcpAuth,
    /** One more role, which AWS' identity takes on for the cluster. */
    trusted_role_arn: text,
    /** Says how a client keeps its kubeconfig; nothing depends on it here. */
    inline: flag,
    // What follows is ours.
    kubeconfig: secretText,
    token: secretText,
    cloud: text,
    region: text,
  })
  .nullish();
export type ClusterInfoMember = NonNullable<z.infer<typeof clusterInfo>>;
