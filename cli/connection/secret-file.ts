import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { z } from "zod";
import { OperatorError } from "../../shared/operator-error.ts";

/** What a JSON file holds; undefined when there is none. An OperatorError when it is not what it should be. */
export async function readSecretFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new OperatorError(`${file} cannot be read (${error.code ?? "unknown"}).`);
  });
  if (text === undefined) return undefined;
  const read = schema.safeParse(parse(text));
  if (!read.success) throw new OperatorError(`${file}is not valid: repair or remove it.`);
  return read.data;
}

/** Writes a JSON file that only its owner may read, whole or not at all. */
export async function writeSecretFile(file: string, content: unknown): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
