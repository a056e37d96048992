import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { ComponentPart } from "./component-part.ts";

type Image = Extract<ComponentPart, { readonly type: "container_image" | "external_image" }>;
type Members = Readonly<Record<string, unknown>>;
type Tagged = {
  readonly image_url: string;
  readonly tag?: string | undefined;
  readonly update_policy?: string | undefined;
};

/** Where an image comes from, as plans say it. */
export function imageSourceOf(component: Image): Members | CompositeFault {
  const { name, aws_ecr, gcp_gar, azure_acr } = component;
  const open = component.public;
  if (open !== undefined) return imageOf(open, open.image_url, { registryType: "public_oci" });
  if (aws_ecr !== undefined) {
    const { iam_role_arn: role, aws_region: region } = aws_ecr;
    return imageOf(aws_ecr, aws_ecr.image_url, {
      registryType: "ecr",
      region,
      ecrauth: {
        region,
        // Without a role it is the runner's own identity that signs in.
        ...(role
          ? { assume_role: { role_arn: role, session_name: "svc-build" } }
          : { use_default: true }),
      },
    });
  }
  if (gcp_gar !== undefined)
    return imageOf(gcp_gar, gcp_gar.image_url, {
      registryType: "gar",
      region: gcp_gar.gcp_region,
      ...(gcp_gar.service_account_email && { serviceAccountEmail: gcp_gar.service_account_email }),
      ...(gcp_gar.workload_identity_provider && {
        workloadIdentityProvider: gcp_gar.workload_identity_provider,
      }),
    });
  if (azure_acr === undefined) return noImage(name);
  if (azure_acr.client_certificate_name !== undefined) return noCertificate(name);
  return imageOf(azure_acr, `${hostOf(azure_acr.registry_url)}/${azure_acr.image_url}`, {
    registryType: "acr",
    acrauth: azureIdentity(azure_acr),
  });
}

/** Without an application it is the runner's own identity that signs in, with the part that is named. */
function azureIdentity({ tenant_id, client_id }: NonNullable<Image["azure_acr"]>): Members {
  const isWhole = Boolean(tenant_id) && Boolean(client_id);
  return {
    tenant_id: tenant_id ?? "",
    client_id: client_id ?? "",
    ...(!isWhole && { use_default: true }),
  };
}

/** The source of an image, with the secret of the application that signs in. */
export function withClientSecret(source: Members, client_secret: string): Members {
  const repo = source["repo_config"] as Readonly<Record<"acrauth", object>>; // as it was made
  return { ...source, repo_config: { ...repo, acrauth: { ...repo.acrauth, client_secret } } };
}

function imageOf({ tag, update_policy: policy }: Tagged, image: string, repo: Members): Members {
  const [loginServer, repository] = splitImage(image);
  return {
    image,
    tag: tag ?? "",
    ...(policy !== undefined && { update_policy: policy }),
    repo_config: { ...repo, loginServer, repository },
  };
}

/** A name without a registry is one of Docker Hub's. */
function splitImage(image: string): [loginServer: string, repository: string] {
  const [first = "", ...names] = image.split("/");
  if (names.length > 0 && /[.:]|^localhost$/.test(first)) return [first, names.join("/")];
  return ["docker.io", names.length > 0 ? image : `library/${image}`];
}

const hostOf = (url: string): string => url.replace(/^https?:\/\//, "").replace(/\/+$/, "");

const noCertificate = (name: string): CompositeFault =>
  faultOf(
    "repo_unsupported",
    "Its registry cannot be signed in to",
    `The component ${name} names a client_certificate_name. Agents sign in to Azure's registries without certificates: name a client_secret_name in its place, and sync the app again.`,
    { retryable: false },
  );

const noImage = (name: string): CompositeFault =>
  faultOf(
    "repo_unsupported",
    "There is nothing to build from",
    `The component ${name} names no image. Give it public, aws_ecr, gcp_gar or azure_acr, and sync the app again.`,
    { retryable: false },
  );
