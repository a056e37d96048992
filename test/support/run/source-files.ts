import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type SourceFile = {
  /** From the project's root, with forward slashes. */
  readonly name: string;
  readonly text: string;
  /** What it imports: files of the project by name, packages by theirs. */
  readonly imports: readonly string[];
};

const root = path.join(import.meta.dirname, "..", "..", "..");
const folders = ["shared", "broker", "agent", "cli", "client", "test", "bench", "build"];
/** Packages, and what the client's package is built of and into. */
const isOthers = (name: string) =>
  /(?:^|\/)node_modules\/|^client\/(?:dist|generated)\//.test(name);
const importPattern =
  /(?:^import |^(?:import|export)\b[^"'\n]* from |^\} from |\bimport\()["']([^"'\n]+)["']/gm;

/** Every TypeScript file of the project with what it imports. */
export async function sourceFiles(): Promise<SourceFile[]> {
  const lists = await Promise.all(folders.map(listFolder));
  return await Promise.all(lists.flat().map(readSource));
}

/** The text of a file at the project's root. */
export async function readRootFile(name: string): Promise<string> {
  return await readFile(path.join(root, name), "utf8");
}

async function listFolder(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.endsWith(".ts"))
    .map((entry) => path.join(folder, entry).replaceAll("\\", "/"))
    .filter((name) => !isOthers(name));
}

async function readSource(name: string): Promise<SourceFile> {
  const text = await readRootFile(name);
  const imports = [...text.matchAll(importPattern)].map((match) => {
    const target = match[1] ?? "";
    return target.startsWith(".") ? path.posix.join(path.posix.dirname(name), target) : target;
  });
  return { name, text, imports };
}
