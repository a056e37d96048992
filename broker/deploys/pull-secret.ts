import type { KindEnvironment } from "../workflows/kinds/kind-environment.ts";
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

/** The same of a component by the images that it reads itself, by its config or in its artifact. */
export function pullSecretOfPart(
  env: Known & Pick<KindEnvironment, "readsOf">,
  name: string,
  configId: string,
): PullSecret | null {
  const components = env.deploys?.components ?? [];
  const pulled = components.filter(({ deployed }) => deployed?.artifact.pull_secret !== undefined);
  if (pulled.length === 0) return null;
  const { needs } = readsWithArtifacts(env.readsOf(configId), components);
  const server = pulled.find((part) => needs[name]?.includes(part.name))?.deployed?.artifact
    .registry;
  return server === undefined ? null : pullSecretFor(env, { server });
}

/** One of an install in each namespace. */
const secretName = (installId: string): string => `svc-pull-${installId.replaceAll("_", "-")}`;
