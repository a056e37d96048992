import { z } from "@hono/zod-openapi";
import { awsSecretArn, azureSecretId, googleSecretName } from "../plans/secret-places.ts";
import { created, named } from "../resources/filters.ts";
import { instant, made, owned, text } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { nameShape } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { workflowResponseSchema } from "./install.ts";
import { json } from "./response.ts";

export const installSecrets = resource({
  noun: "install secret",
  plural: "secrets",
  schema: "InstallSecret",
  tag: "Installs",
  prefix: "ise",
  param: "install_secret_id",
  path: "/v1/installs/{install_id}/secrets",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: ["list"],
  bound: "path",
  says: { list: "List where an install's secrets are" },
  members: {
    ...owned,
    install_id: text(),
    name: text("As its app's config has it."),
    arn: text("In AWS Secrets Manager; empty where it is not there."),
    gcp_secret_name: text("In Google's Secret Manager, in full; empty where it is not there."),
    azure_key_vault_secret_id: text("In an Azure Key Vault; empty where it is not there."),
    created_at: made.created_at,
    updated_at: instant("When its place was set."),
    created_by_id: made.created_by_id,
  },
  filters: { ...created, name: named("name", "Only the secret of this name.") },
});
export type InstallSecret = ItemOf<typeof installSecrets>;

const tags = ["Installs"];
const rule = { surface: "control-plane", permission: "installs.write" } as const;
const path = `${installSecrets.path}/{secret_name}` as const;
const params = z.object({
  install_id: installSecrets.params.shape.install_id,
  secret_name: nameShape.describe("The secret's name, where `-` and `_` are equal."),
});

const newPlaceSchema = z
  .strictObject({
    arn: z.string().max(1024).regex(awsSecretArn, {
      error:
        "arn must be one of AWS Secrets Manager: arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME.",
    }),
    gcp_secret_name: z.string().max(1024).regex(googleSecretName, {
      error:
        "gcp_secret_name must be projects/PROJECT/secrets/NAME, with /locations/LOCATION and /versions/VERSION where they are meant.",
    }),
    azure_key_vault_secret_id: z.string().max(1024).regex(azureSecretId, {
      error:
        "azure_key_vault_secret_id must be https://VAULT.vault.azure.net/secrets/NAME, with /VERSION where one is meant.",
    }),
  })
  .partial()
  .refine((places) => Object.values(places).filter((one) => one !== undefined).length === 1, {
    params: { code: "one_of" },
    error: "Give one of arn, gcp_secret_name and azure_key_vault_secret_id.",
  })
  .openapi("SecretPlace", {
    example: {
      arn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license-AbCdEf",
    },
  });
export type SecretPlaceInput = z.infer<typeof newPlaceSchema>;

export const setInstallSecretRoute = createRoute("setInstallSecret", {
  put: path,
  rule,
  tags,
  summary: "Say where a secret of an install is",
  description:
    "In the customer's own store: the value is never here. What was said of this name is replaced. The next sync of the install's secrets reads it there. 409 `too_many_secrets` for the install's 501st.",
  params,
  body: newPlaceSchema,
  responses: { 200: json(installSecrets.itemSchema, "The secret.") },
});

export const deleteInstallSecretRoute = createRoute("deleteInstallSecret", {
  delete: path,
  rule,
  tags,
  summary: "Forget where a secret of an install is",
  description: "The secret itself stays where it is, and so does what was copied of it.",
  params,
  responses: { 200: json(installSecrets.itemSchema, "The secret, as it was.") },
});

export const syncInstallSecretsRoute = createRoute("syncInstallSecrets", {
  post: "/v1/installs/{install_id}/sync-secrets",
  rule: { surface: "control-plane", permission: "installs.operate", idempotent: "replay" },
  tags,
  summary: "Sync the secrets of an install",
  description:
    "Its runner copies them out of the customer's stores into the install's cluster, and makes those that have no value and may be made. 409 `never_provisioned` for an install that was never provisioned, `no_secrets` where its config has none.",
  params: z.object({ install_id: installSecrets.params.shape.install_id }),
  body: z
    .strictObject({
      role: z.string().max(255).default(""),
      plan_only: z
        .boolean()
        .default(false)
        .describe("Changes nothing: the stores are read, and nothing is written or made."),
    })
    .openapi("SyncSecretsRequest"),
  responses: { 201: json(workflowResponseSchema, "The workflow.") },
});
