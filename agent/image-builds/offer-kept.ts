import { closeSync } from "node:fs";
import type { BuildRequest } from "./build-request.ts";
import { clearLayers } from "./clear-layers.ts";
import { imageFiles } from "./image-folder.ts";
import { offerLayers } from "./kept-layers.ts";
import { makeFolder } from "./make-folder.ts";
import { placeOfOpened } from "./open-folder.ts";
import type { BuilderMeans } from "./run-builder.ts";

/** Puts layers of a former build where this one finds them; answers whether there are any. It can be built without. */
export async function offerKept(
  { cache, folder }: BuildRequest,
  { namespaces }: BuilderMeans,
  say: (line: string) => void,
): Promise<boolean> {
  if (cache?.isRead !== true || namespaces === undefined) return false;
  try {
    const opened = makeFolder(folder, imageFiles.layers, { mode: 0o755, owner: undefined });
    try {
      const steps = await offerLayers(cache, placeOfOpened(opened));
      if (steps > 0) say(`${steps} steps of the build before are known`);
      return steps > 0;
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // whatever it is
    say(`the layers of the build before are not used: ${code ?? message}`);
    clearLayers(folder);
    return false;
  }
}
