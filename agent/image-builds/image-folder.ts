import path from "node:path";

/** Where the build of an image works, within the workspace of its job. */
export const imageFolder = (workspace: string): string => path.join(workspace, "image");

/** The part of it that belongs to the ids of the build; everything in it goes with the job. */
export const storageFolder = (folder: string): string => path.join(folder, "storage");

/** Where layers are kept for the next builds, in the agent's data directory. */
export const layersFolder = (dataDir: string): string => path.join(dataDir, "image-layers");

/** The names of what is handed to the builder, which may only read it. */
export const imageFiles = {
  context: "context.tar.gz",
  dockerfile: "Dockerfile",
  bases: "bases",
  names: "names",
  layers: "layers",
} as const;
