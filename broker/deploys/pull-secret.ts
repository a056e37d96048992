import type { KindEnvironment } from "../workflows/kinds/kind-environment.ts";
import type { PartFacts } from "./deploy-facts.ts";
import type { ArtifactPlace, PullSecret } from "./deploy-order.ts";
import { readsWithArtifacts } from "./reads-with-artifacts.ts";

type Known = Pick<KindEnvironment, "facts" | "deploys">;

/** By which Secret clusters of the install pull an image; null where they need none, or there is no login for one. */
export function pullSecretFor(
  { facts, deploys }: Known,
  { server }: Pick<ArtifactPlace, "server">,
): PullSecret | null {
  const { registry, pullLogin } = deploys ?? {};
  if (registry === undefined || registry.server !== server) return null;
  const hasLogin =
    registry.auth === "token" || (registry.auth === "fixed" && pullLogin !== undefined);
  return hasLogin ? { name: secretName(facts.install.id), server } : null;
}

type Env = Known & Pick<KindEnvironment, "readsOf">;
type OfPart = {
  readonly name: string;
  readonly configId: string;
  readonly isTeardown: boolean;
};

/**
 * The same of a component that reads an image itself, by its config or in its artifact. Its teardown takes the Secret away, unless something
 * else may be where it is that reads one.
 */
export function pullSecretOfPart(
  env: Env,
  { name, configId, isTeardown }: OfPart,
): PullSecret | null {
  const components = env.deploys?.components ?? [];
  const server = serverOf(env, name, configId);
  const secret = server === undefined ? null : pullSecretFor(env, { server });
  if (secret === null || !isTeardown) return secret;
  const own = components.find((part) => part.name === name);
  const isShared = components.some(
    (other) =>
      other !== own &&
      other.deployed !== undefined &&
      hasSecret(other) &&
      maybeBeside(namespaceOf(own), namespaceOf(other)) &&
      serverOf(env, other.name, other.deployedPart?.configId ?? configId) !== undefined,
  );
  return isShared ? null : { removed: true, ...secret };
}

/** The registry of an image that it reads, for which a Secret is needed. */
function serverOf({ deploys, readsOf }: Env, name: string, configId: string): string | undefined {
  const components = deploys?.components ?? [];
  const pulled = components.filter(
    ({ deployed: { artifact: of } = {} }) =>
      of?.pull_secret !== undefined && of.registry === deploys?.registry?.server,
  );
  if (pulled.length === 0) return undefined;
  const { needs } = readsWithArtifacts(readsOf(configId), components);
  return pulled.find((part) => needs[name]?.includes(part.name))?.deployed?.artifact.registry;
}

/** Of these a deploy writes one. */
function hasSecret({ deployedPart, wanted }: PartFacts): boolean {
  const { part } = deployedPart ?? wanted ?? {};
  if (part === undefined || !("component" in part)) return false;
  return ["helm_chart", "kubernetes_manifest", "job"].includes(part.component.type);
}

/** The namespace as its config has it; undefined where that does not say. Whether two contexts are two clusters is not asked. */
function namespaceOf(part: PartFacts | undefined): string | undefined {
  const configured = part?.deployedPart ?? part?.wanted;
  if (configured === undefined || !("component" in configured.part)) return undefined;
  const { component } = configured.part;
  return "namespace" in component ? component.namespace : undefined;
}

/** Two texts without templates say whether two things are apart. */
const maybeBeside = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other || `${one}${other}`.includes("{{");

/** One of an install in each namespace. */
const secretName = (installId: string): string => `svc-pull-${installId.replaceAll("_", "-")}`;
