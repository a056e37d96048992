import { z } from "zod";
import { awsAuth, azureAuth } from "./cloud-auth.ts";
import { flag, secretText, text } from "./plan-members.ts";

/** Kinds of registries, which say who signs in to them and how. */
export const registryTypes = ["acr", "ecr", "gar", "private_oci", "public_oci"] as const;

const login = z
  .looseObject({ username: secretText, password: secretText, token: secretText })
  .nullish();

/** A registry: its name, or its server and repository with who signs in there. */
export const registry = z
  .union([
    z.string(),
    z.looseObject({
      loginServer: text,
      repository: text,
      registryType: text,
      region: text,
      plugin: text,
      ociauth: login,
      ecrauth: awsAuth,
      acrauth: azureAuth,
      serviceAccountEmail: text,
      workloadIdentityProvider: text,
      // What follows is ours.
      url: text,
      registry: text,
      tag: text,
      digest: text,
      path: text,
      plain_http: flag,
      auth: login,
      oci_auth: login,
      username: secretText,
      password: secretText,
      token: secretText,
    }),
  ])
  .nullish();
export type RegistryMember = Exclude<z.infer<typeof registry>, string | null | undefined>;
