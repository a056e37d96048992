import { isMap, type Json, textOf } from "../../../shared/app-config/templates/json-value.ts";

/** The registry of an install, as plans name it. Who signs in there is the runner itself. */
export type InstallRegistry = {
  readonly registryType: "ecr" | "gar" | "acr";
  readonly loginServer: string;
  readonly repository: string;
  readonly region?: string;
  readonly ecrauth?: { readonly use_default: true; readonly region?: string };
  readonly acrauth?: { readonly use_default: true };
};

/** What outputs of a sandbox name one, by the cloud. */
const outputs = {
  ecr: ["repository_url", "registry_url", "region"],
  gar: ["repository_url", "registry_url"],
  acr: ["login_server", "name"],
} as const;

/** Templates that read them, and are empty where they are not there. */
export const registryOutputs: Json = Object.fromEntries(
  Object.entries(outputs).map(([cloud, names]) => [
    cloud,
    Object.fromEntries(
      names.map((name) => [name, `{{ .svc.sandbox.outputs.${cloud}.${name} | default "" }}`]),
    ),
  ]),
);

/** Where a component's images go in it; undefined where the sandbox has made none. */
export function readInstallRegistry(
  rendered: Json | undefined,
  componentId: string,
): InstallRegistry | undefined {
  const ecr = placeOf(
    textAt(rendered, "ecr", "repository_url"),
    textAt(rendered, "ecr", "registry_url"),
  );
  if (ecr !== undefined && ecr.path !== "") {
    const region = textAt(rendered, "ecr", "region") || ecrRegion(ecr.host);
    const inRegion = region === "" ? {} : { region };
    return {
      registryType: "ecr",
      loginServer: ecr.host,
      repository: ecr.path, // ECR has the repositories that somebody made: tags tell components apart
      ...inRegion,
      ecrauth: { use_default: true, ...inRegion },
    };
  }
  const gar = placeOf(
    textAt(rendered, "gar", "repository_url"),
    textAt(rendered, "gar", "registry_url"),
  );
  if (gar !== undefined && gar.path !== "")
    return {
      registryType: "gar",
      loginServer: gar.host,
      repository: `${gar.path}/${componentId}`,
    };
  const name = textAt(rendered, "acr", "name");
  const acr = placeOf(
    textAt(rendered, "acr", "login_server") || (name && `${name}.azurecr.io`),
    "",
  );
  if (acr === undefined) return undefined;
  return {
    registryType: "acr",
    loginServer: acr.host,
    repository: [acr.path, componentId].filter(Boolean).join("/"),
    acrauth: { use_default: true },
  };
}

function textAt(rendered: Json | undefined, cloud: string, name: string): string {
  const outputs = rendered !== undefined && isMap(rendered) ? rendered[cloud] : undefined;
  return outputs !== undefined && isMap(outputs) ? textOf(outputs[name] ?? "") : "";
}

/** A URL of a repository has its registry's host, or that is told beside it. */
function placeOf(repository: string, registry: string) {
  const [bare, host] = [bareOf(repository), bareOf(registry)];
  const hasHost = isHost(bare.split("/")[0] ?? "") || host === "" || bare.startsWith(`${host}/`);
  const [first = "", ...rest] = (hasHost ? bare : `${host}/${bare}`).split("/");
  return first === "" ? undefined : { host: first, path: rest.join("/") };
}

const bareOf = (url: string): string => url.replace(/^https?:\/\//, "").replace(/\/+$/, "");
const isHost = (part: string): boolean => /[.:]/.test(part);

const ecrRegion = (host: string): string =>
  /\.ecr(?:-fips)?\.([\w-]+)\.amazonaws\./.exec(host)?.[1] ?? "";
