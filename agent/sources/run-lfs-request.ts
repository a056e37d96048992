import { execFile } from "node:child_process";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../config/environment.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { usesProxy } from "../registry/uses-proxy.ts";
import { type LfsPointer, listLfsPointers } from "./lfs-pointers.ts";
import { type LfsRequest, lfsRequest } from "./lfs-request.ts";
import { findLfsContents, type LfsContents } from "./lfs-server.ts";
import { failedCode } from "./run-fetch-request.ts";
import { sizeText } from "./unpack/size-text.ts";

const run = promisify(execFile);

/** Replaces pointers of a repository and its submodules by their contents, and writes the result beside the request. Returns an exit code. */
export async function runLfsRequest(
  file: string,
  { env, say }: { readonly env: Environment; readonly say: (line: string) => void },
): Promise<number> {
  const order = lfsRequest.parse(JSON.parse(await readFile(file, "utf8")));
  const tell = async (what: object): Promise<void> =>
    await writeFile(order.told, JSON.stringify(what), { mode: 0o600 });
  try {
    const fetched = await fetchAll(order, usesProxy(env));
    await tell(fetched);
    say(`files of Git LFS: ${sizeText(fetched)}`);
    return 0;
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    await tell({
      class: error.class,
      words: error.message.replace(/^the registry\b/, "the server"),
    });
    return failedCode;
  }
}

type Fetched = { files: number; bytes: number };

async function fetchAll(order: LfsRequest, isProxied: boolean): Promise<Fetched> {
  const fetched: Fetched = { files: 0, bytes: 0 };
  for (const { folder, url } of await repositoriesIn(order)) {
    const pointers = await listLfsPointers(folder);
    if (pointers.length === 0) continue;
    fetched.bytes += pointers.reduce((sum, { size }) => sum + size, 0);
    if (fetched.bytes > order.mostBytes)
      throw new RegistryFault(
        "too_large",
        `they have ${fetched.bytes} bytes together, and source-size is ${order.mostBytes}`,
      );
    const found = await findLfsContents({ ...order, url, isProxied }, pointers);
    for (const pointer of pointers) await replace(folder, pointer, found.get(pointer.oid));
    fetched.files += pointers.length;
  }
  return fetched;
}

/** The repository, and its submodules as they were checked out, each with its own URL. */
async function repositoriesIn({
  folder,
  url,
}: LfsRequest): Promise<readonly { readonly folder: string; readonly url: string }[]> {
  const script = 'printf "%s\\0%s\\0" "$PWD" "$(git config remote.origin.url)"';
  const { stdout } = await run("git", ["submodule", "--quiet", "foreach", "--recursive", script], {
    cwd: folder,
  });
  const words = stdout.split("\0");
  const parts = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    parts.push({ folder: words[at] ?? "", url: words[at + 1] ?? "" });
  return [{ folder, url }, ...parts];
}

async function replace(
  folder: string,
  { name, isExecutable }: LfsPointer,
  contents: LfsContents | undefined,
): Promise<void> {
  const shown = JSON.stringify(name.slice(0, 200));
  if (contents === undefined) throw new RegistryFault("not_found", `${shown} is not at the server`);
  const place = path.join(folder, name);
  const draft = `${place}.svc-lfs`;
  const file = await open(draft, "w", isExecutable ? 0o755 : 0o644);
  try {
    for await (const piece of contents.read()) await file.writeFile(piece);
    await file.close();
    await rename(draft, place);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    if (!(error instanceof RegistryFault)) throw error;
    throw new RegistryFault(error.class, `${shown}: ${error.message}`);
  }
}
