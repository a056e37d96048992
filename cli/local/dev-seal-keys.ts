import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** The file of keys that seal what this data directory's broker keeps; made once, for its owner only. */
export async function devSealKeys(dataDir: string): Promise<string> {
  const file = path.join(dataDir, "seal-keys");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const line = `dev-${randomBytes(4).toString("hex")} ${randomBytes(32).toString("base64")}\n`;
  await writeFile(file, line, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return file;
}
