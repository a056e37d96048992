import type { Artifact } from "../registry/push-artifact.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { layoutFiles } from "./layout-files.ts";

/** They name the builder's own image of the step before, which nobody else has. */
const ofBuilder = ["org.opencontainers.image.base.digest", "org.opencontainers.image.base.name"];

/**
 * Reads the image of an OCI layout that a builder has written, as it is pushed. What runs in a build may have changed it:
 * nothing but files below the layout is read, and blobs are checked when they are pushed. Throws RegistryFault.
 */
export async function readLayout(layout: string): Promise<Artifact> {
  const files = await layoutFiles(layout);
  const [only, ...more] = await files.index();
  if (only === undefined || more.length > 0)
    throw new RegistryFault("unsafe", "what was built cannot be read: it has not one image");
  const { config, configType, layers, annotations } = await files.image(only);
  const others = Object.entries(annotations ?? {}).filter(([name]) => !ofBuilder.includes(name));
  return {
    config: { mediaType: configType, bytes: Buffer.from(config) },
    layers: layers.map(({ descriptor: { mediaType, digest, size }, file }) => ({
      file,
      mediaType,
      digest,
      size,
    })),
    ...(others.length > 0 && { annotations: Object.fromEntries(others) }),
  };
}
