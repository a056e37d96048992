import { z } from "zod";
import { flag, secretText, text } from "./plan-members.ts";

const awsKeys = z
  .looseObject({
    access_key_id: text,
    secret_access_key: secretText,
    session_token: secretText,
  })
  .nullish();

const awsRole = {
  role_arn: text,
  session_name: text,
  external_id: secretText,
};

/** Who asks AWS: keys, roles that are taken on one from another, or whoever the host is. */
export const awsAuth = z
  .looseObject({
    region: text,
    profile: text,
    cache_id: text,
    use_default: flag,
    static: awsKeys,
    assume_role: z
      .looseObject({
        ...awsRole,
        session_duration_seconds: z.int().nullish(),
        use_gcp_oidc: flag,
        use_github_oidc: flag,
        two_step_config: z
          .looseObject({
            iam_role_arn: text,
            src_iam_role_arn: text,
            src_static_credentials: awsKeys,
          })
          .nullish(),
      })
      .nullish(),
    // What follows is ours.
    assume_roles: z.array(z.looseObject(awsRole)).nullish(),
    web_identity: z.looseObject({ ...awsRole, token: secretText, token_file: text }).nullish(),
  })
  .nullish();
export type AwsAuthMember = NonNullable<z.infer<typeof awsAuth>>;

/** Who asks Azure: an identity of the machine, an application, or whoever the host is. */
export const azureAuth = z
  .looseObject({
    managed_identity_client_id: text,
    service_principal: z
      .looseObject({ subscription_id: text, subscription_tenant_id: text })
      .nullish(),
    use_default: flag,
    // What follows is ours.
    subscription_id: text,
    tenant_id: text,
    client_id: text,
    client_secret: secretText,
    use_msi: flag,
  })
  .nullish();
export type AzureAuthMember = NonNullable<z.infer<typeof azureAuth>>;

const googleKey = z
  .union([z.string(), z.looseObject({})])
  .meta({ secret: true })
  .nullish();

/** Who asks Google: whoever the host is, or an account in whose name that acts. */
export const gcpAuth = z
  .looseObject({
    project_id: text,
    region: text,
    impersonate_service_account: text,
    // What follows is ours.
    credentials: googleKey,
    service_account_key: googleKey,
  })
  .nullish();
export type GcpAuthMember = NonNullable<z.infer<typeof gcpAuth>>;
