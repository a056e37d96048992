import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { SourceFault } from "../sources/source-failure.ts";
import { readArchive } from "../sources/unpack/read-archive.ts";
import { sizeText } from "../sources/unpack/size-text.ts";
import { unpackInto } from "../sources/unpack/unpack-entries.ts";
import { gatherEntries } from "./gather-entries.ts";
import { PackFault } from "./pack-fault.ts";
import { type Packed, type PackRequest, packRequest } from "./pack-request.ts";
import { placeModules } from "./place-modules.ts";
import { referencesIn } from "./references-in.ts";
import { refuseLeavingLinks } from "./refuse-leaving-links.ts";
import { refuseLeaving } from "./refuse-leaving.ts";
import { writeArchive } from "./write-archive.ts";

/** The same as where a deploy unpacks it. */
const mostEntries = 100_000;
/** The exit code when the result file says why. */
const failedCode = 72;

/** Carries out a pack request in a file and writes the result beside it. Returns an exit code. */
export async function runPackRequest(file: string, say: (line: string) => void): Promise<number> {
  const request = packRequest.parse(JSON.parse(await readFile(file, "utf8")));
  const tell = async (what: object): Promise<void> =>
    await writeFile(request.told, JSON.stringify(what), { mode: 0o600 });
  try {
    const packed = await pack(request);
    await tell(packed);
    if (request.output !== undefined) say(`packed as ${packed.digest}: ${sizeText(packed)}`);
    return 0;
  } catch (error) {
    if (!(error instanceof PackFault || error instanceof SourceFault)) throw error;
    const blamed = error instanceof PackFault ? error.file : undefined;
    const { class: kind, message: words } = error;
    await tell({ class: kind, words, ...(blamed !== undefined && { file: blamed }) });
    return failedCode;
  }
}

async function pack(request: PackRequest): Promise<Packed> {
  const { unpack, within, modules, output, mostBytes } = request;
  if (within !== undefined) refuseLeavingLinks(within);
  const bounds = { mostBytes, mostEntries };
  if (unpack !== undefined) await unpackAnew(unpack.archive, unpack.into, bounds);
  const placed = modules && placeModules(modules);
  if (modules !== undefined && placed !== undefined) refuseLeaving(modules, placed);
  const entries = gatherEntries(
    {
      ...request,
      parts: [...request.parts, ...(placed?.parts ?? [])],
      texts: [...request.texts, ...(placed?.texts ?? [])],
    },
    bounds,
  );
  if (entries.length === 0) throw new PackFault("not_found", "there is no file in it");
  const references = referencesIn(entries, request);
  const written = await writeArchive(entries, output?.archive);
  // Read by what will read it at a deploy: what that refuses is never pushed.
  if (output !== undefined) await unpackAnew(output.archive, output.unpacked, bounds);
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return { ...written, files: entries.length, bytes, references };
}

type Bounds = { readonly mostBytes: number; readonly mostEntries: number };

async function unpackAnew(archive: string, folder: string, bounds: Bounds): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = await readArchive(archive);
  if (entries === undefined) throw new PackFault("unsafe", "what was packed is not an archive");
  const unpacked = unpackInto(folder, bounds);
  await unpacked.add(entries);
  await unpacked.finish();
}
