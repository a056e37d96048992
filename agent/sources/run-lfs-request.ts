import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Environment } from "../config/environment.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { usesProxy } from "../registry/uses-proxy.ts";
import { type LfsPointer, listLfsPointers } from "./lfs-pointers.ts";
import { type LfsRepository, listLfsRepositories } from "./lfs-repositories.ts";
import { type LfsRequest, lfsRequest } from "./lfs-request.ts";
import { readLfsContents } from "./lfs-server.ts";
import { isNeeded, listNeeded } from "./list-needed.ts";
import { markLfsFile, placeLfsFile } from "./place-lfs-file.ts";
import { failedCode } from "./run-fetch-request.ts";
import { sizeText } from "./unpack/size-text.ts";

/**
 * Replaces pointers of a repository and its submodules by their contents, where what is built needs them and by links to nothing
 * elsewhere, and writes the result beside the request. Returns an exit code.
 */
export async function runLfsRequest(
  file: string,
  { env, say }: { readonly env: Environment; readonly say: (line: string) => void },
): Promise<number> {
  const order = lfsRequest.parse(JSON.parse(await readFile(file, "utf8")));
  await rm(file, { force: true }); // nobody needs its logins later
  const tell = async (what: object): Promise<void> =>
    await writeFile(order.told, JSON.stringify(what), { mode: 0o600 });
  try {
    const { leftOut, ...fetched } = await fetchAll(order, usesProxy(env));
    await tell(fetched);
    say(`files of Git LFS: ${sizeText(fetched)}`);
    if (leftOut > 0) say(`files of Git LFS that are not needed and not fetched: ${leftOut}`);
    return 0;
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    await tell({ class: error.class, words: error.message });
    return failedCode;
  }
}

type Fetched = { files: number; bytes: number; leftOut: number };
type Fetching = {
  readonly order: LfsRequest;
  readonly needed: readonly string[];
  readonly drafts: string;
  readonly isProxied: boolean;
};

async function fetchAll(order: LfsRequest, isProxied: boolean): Promise<Fetched> {
  const fetched: Fetched = { files: 0, bytes: 0, leftOut: 0 };
  const root = await realpath(order.folder);
  const needed = await listNeeded(root, order.built);
  const drafts = await mkdtemp(`${root}.lfs-`);
  try {
    for (const repository of await listLfsRepositories(root, order.url))
      await fetchOf(repository, { order, needed, drafts, isProxied }, fetched);
  } finally {
    await rm(drafts, { recursive: true, force: true });
  }
  return fetched;
}

async function fetchOf(
  { folder, url, name }: LfsRepository,
  { order, needed, drafts, isProxied }: Fetching,
  fetched: Fetched,
): Promise<void> {
  try {
    const pointers = await listLfsPointers(folder);
    const isWanted = ({ name: at }: LfsPointer) => isNeeded(needed, path.join(folder, at));
    const wanted = pointers.filter(isWanted);
    const others = pointers.filter((one) => !isWanted(one));
    for (const pointer of others) await markLfsFile({ folder, drafts }, pointer);
    fetched.leftOut += others.length;
    fetched.bytes += wanted.reduce((sum, { size }) => sum + size, 0);
    if (fetched.bytes > order.mostBytes)
      throw new RegistryFault(
        "too_large",
        `they have ${fetched.bytes} bytes together, and source-size is ${order.mostBytes}`,
      );
    const asked = { url, logins: order.logins, isProxied };
    for await (const { pointer, contents } of readLfsContents(asked, wanted))
      await placeLfsFile({ folder, drafts }, pointer, contents);
    fetched.files += wanted.length;
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    const words = ofGit(error.message);
    const host = URL.canParse(url) ? new URL(url).host : "";
    const whose = name === "" ? "" : `in its submodule ${JSON.stringify(name)} of ${host}: `;
    throw new RegistryFault(error.class, `${whose}${words}`);
  }
}

/** The client of registries fetches these, and calls things as they are called there. */
const ofGit = (words: string): string =>
  words
    .replaceAll(/\bthe registry\b/g, "the server")
    .replaceAll(/\ba blob\b/g, "it")
    .replaceAll("in its manifest", "in its pointer");
