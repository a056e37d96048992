import type { AzureAuthMember } from "../../shared/plans/cloud-auth.ts";
import { invalidPlan } from "../jobs/job-failure.ts";
import type { AzureIdentity } from "./azure-token.ts";

/** The Azure identity that a member of a plan names. Throws JobFailure for one that this agent cannot be. */
export function readAzureAuth(auth: AzureAuthMember, name: string): AzureIdentity {
  const { managed_identity_client_id, service_principal, use_default, use_msi } = auth;
  const { tenant_id, client_id, client_secret } = auth;
  if (managed_identity_client_id)
    return { usesMachine: true, clientId: managed_identity_client_id };
  if (client_secret && (!client_id || !tenant_id))
    throw invalidPlan(`${name}.client_secret is set without client_id and tenant_id`);
  const { subscription_id, subscription_tenant_id } = service_principal ?? {};
  if (subscription_id || subscription_tenant_id) {
    throw invalidPlan(
      `${name}.service_principal is not supported, as it has no secret: use managed_identity_client_id, tenant_id and client_id, or use_default`,
    );
  }
  // Without a secret, the host has to prove that it may be that application.
  if (use_msi !== true && client_id && tenant_id) {
    return {
      tenantId: tenant_id,
      clientId: client_id,
      ...(client_secret && { clientSecret: client_secret }),
    };
  }
  if (use_msi === true) return { usesMachine: true, ...(client_id && { clientId: client_id }) };
  if (use_default === true)
    return { ...(tenant_id && { tenantId: tenant_id }), ...(client_id && { clientId: client_id }) };
  throw invalidPlan(
    `${name} names no identity: set managed_identity_client_id, tenant_id and client_id, use_msi or use_default`,
  );
}
