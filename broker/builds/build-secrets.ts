import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { appSecretThing } from "../seals/reseal-app-secret.ts";
import type { Sealed, Seals } from "../seals/seals.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { ComponentPart, SandboxPart } from "./component-part.ts";

/** A secret of an app, by the name that it has there. */
export type BuildSecret = { readonly name: string; readonly value: Sealed };

type Part = { readonly component: ComponentPart } | { readonly sandbox: SandboxPart };
type Known<S extends Pick<BuildSecret, "name">> = { readonly secrets: readonly S[] };

/** The app's secrets that builds of a config name. */
export async function listBuildSecrets(
  db: Db,
  org: OrgId,
  { app, config }: { readonly app: string; readonly config: Pick<AppConfigDocument, "components"> },
): Promise<BuildSecret[]> {
  const named = (config.components ?? []).flatMap((component) => namedBy({ component }));
  if (named.length === 0) return [];
  const keys = [...new Set(named.map(nameKey))];
  const rows = await db<{ name: string; key_id: string | null; value: Buffer }[]>`
    select s.name, s.key_id, s.value from app_secrets s
     where s.org_id = ${org} and s.app_id = ${app} and replace(s.name, '-', '_') = any(${keys}::text[])`;
  return rows.map(({ name, key_id: keyId, value: bytes }) => ({ name, value: { keyId, bytes } }));
}

/** The secret that a build names. */
export function findBuildSecret<S extends Pick<BuildSecret, "name">>(
  { secrets }: Known<S>,
  named: string,
): S | undefined {
  return secrets.find(({ name }) => nameKey(name) === nameKey(named));
}

/** What the secret is that a build names; undefined where the app has none of that name. */
export function openBuildSecret(
  seals: Pick<Seals, "open">,
  { org, app, secrets }: Known<BuildSecret> & { readonly org: string; readonly app: string },
  named: string,
): string | undefined {
  const found = findBuildSecret({ secrets }, named);
  if (found === undefined) return undefined;
  return seals.open(appSecretThing(org, app, found.name), found.value).toString();
}

/** The names of the secrets of a build, or why the app does not have them all. */
export function secretsOfBuild<S extends Pick<BuildSecret, "name">>(
  { part, secrets }: Known<S> & { readonly part: Part },
  what: string,
): readonly string[] | CompositeFault {
  const names = namedBy(part);
  const unset = names.find((name) => findBuildSecret({ secrets }, name) === undefined);
  if (unset === undefined) return names;
  return faultOf(
    "missing_value",
    "A secret that it is built with is not set",
    `${what} is built with the app secret ${unset}, which the app does not have. Set it (svc app secret set), then build again.`,
    { retryable: false },
  );
}

function namedBy(part: Part): readonly string[] {
  if (!("component" in part)) return [];
  const { component } = part;
  if (component.type === "docker_build") return component.secrets ?? [];
  if (component.type !== "container_image" && component.type !== "external_image") return [];
  const { client_secret_name: secret } = component.azure_acr ?? {};
  return secret === undefined ? [] : [secret];
}

/** In names `-` and `_` are equal. */
const nameKey = (name: string): string => name.replaceAll("-", "_");
