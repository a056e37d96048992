import { execFile } from "node:child_process";
import { lstat, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** A file of Git LFS that is checked out as a pointer to its contents. */
export type LfsPointer = {
  /** From the repository's root. */
  readonly name: string;
  readonly oid: string;
  readonly size: number;
  readonly isExecutable: boolean;
};

const run = promisify(execFile);
const mostPointerBytes = 1024;
const mostListBytes = 256 * 2 ** 20;

/** The files of a checked-out repository that its attributes give to Git LFS, and that are pointers still. */
export async function listLfsPointers(folder: string): Promise<readonly LfsPointer[]> {
  const options = { cwd: folder, maxBuffer: mostListBytes, encoding: "utf8" } as const;
  const script = "git ls-files -z | git check-attr -z --stdin filter";
  const { stdout } = await run("sh", ["-c", script], options);
  const words = stdout.split("\0");
  const pointers: LfsPointer[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) {
    const name = words[at] ?? "";
    const pointer = words[at + 2] === "lfs" ? await pointerAt(folder, name) : undefined;
    if (pointer !== undefined) pointers.push(pointer);
  }
  return pointers;
}

async function pointerAt(folder: string, name: string): Promise<LfsPointer | undefined> {
  const place = path.join(folder, name);
  const stat = await lstat(place).catch(() => undefined);
  if (stat?.isFile() !== true || stat.size > mostPointerBytes) return undefined;
  const found = readLfsPointer(await readFile(place, "utf8"));
  return found && { ...found, name, isExecutable: (stat.mode & 0o111) !== 0 };
}

/** What a pointer says of the contents; undefined of a text that is none. */
export function readLfsPointer(text: string): Pick<LfsPointer, "oid" | "size"> | undefined {
  if (!text.startsWith("version https://git-lfs.github.com/spec/v1\n")) return undefined;
  const [, oid] = /\noid sha256:([0-9a-f]{64})\n/.exec(text) ?? [];
  const [, size] = /\nsize (\d{1,15})\n?$/.exec(text) ?? [];
  return oid === undefined || size === undefined ? undefined : { oid, size: Number(size) };
}
