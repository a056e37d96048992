import { lstat, open, realpath, rename, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { RegistryFault } from "../registry/registry-fault.ts";
import { lfsMark } from "./lfs-mark.ts";
import type { LfsPointer } from "./lfs-pointers.ts";

type Place = {
  /** The repository, without links. */
  readonly folder: string;
  /** A folder of our own beside the checkout, where nothing of it is: the names in a checkout are its author's. */
  readonly drafts: string;
};

/** Puts contents in place of a pointer, whole or not at all. Throws RegistryFault. */
export async function placeLfsFile(
  { folder, drafts }: Place,
  { name, isExecutable }: LfsPointer,
  contents: AsyncIterable<Uint8Array>,
): Promise<void> {
  const draft = path.join(drafts, "draft");
  const file = await open(draft, "wx", isExecutable ? 0o755 : 0o644);
  try {
    for await (const piece of contents) await file.writeFile(piece);
    await file.close();
    await rename(draft, await pointerPlace(folder, name));
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw saying(name, error);
  }
}

/** Puts a link to nothing in place of a pointer. Throws RegistryFault. */
export async function markLfsFile(
  { folder, drafts }: Place,
  { name }: Pick<LfsPointer, "name">,
): Promise<void> {
  const draft = path.join(drafts, "mark");
  try {
    await symlink(lfsMark, draft);
    await rename(draft, await pointerPlace(folder, name));
  } catch (error) {
    throw saying(name, error);
  }
}

/** Where a pointer is; it is still a file, and no link leads there. */
async function pointerPlace(folder: string, name: string): Promise<string> {
  const place = path.join(folder, name);
  const parent = path.dirname(place);
  const isFile = (await lstat(place).catch(() => undefined))?.isFile() === true;
  if (isFile && (await realpath(parent)) === parent) return place;
  throw new RegistryFault("unsafe", "it is behind a link, or no file any more");
}

function saying(name: string, error: unknown): unknown {
  if (!(error instanceof RegistryFault)) return error;
  return new RegistryFault(error.class, `${JSON.stringify(name.slice(0, 200))}: ${error.message}`);
}
