import { closeSync, fstatSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { imageFiles } from "./image-folder.ts";
import { openFolder, openWithin, placeOfOpened } from "./open-folder.ts";

/**
 * Removes the layers that the agent has put into a build's folder: they are its own, which the job's user cannot remove.
 * Does nothing where there are none.
 */
export function clearLayers(folder: string): void {
  const opened: number[] = [];
  const keep = (fd: number): number => {
    opened.push(fd);
    return fd;
  };
  try {
    const above = keep(openFolder(dirname(folder), basename(folder)));
    const layers = keep(openWithin(above, imageFiles.layers));
    // What is somebody else's is not the agent's to remove.
    if (fstatSync(layers).uid !== process.getuid?.()) return;
    for (const one of ["blobs", "index.json", "oci-layout", "names"])
      rmSync(`${placeOfOpened(layers)}/${one}`, { recursive: true, force: true });
    rmdirSync(`${placeOfOpened(above)}/${imageFiles.layers}`);
  } catch {
    // there are none; what stays is told where the workspace is removed
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}
