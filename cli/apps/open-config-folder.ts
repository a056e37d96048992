import { open, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { ConfigFolder, FileFault } from "../../shared/app-config/config-entries.ts";
import { configFiles } from "../../shared/app-config/config-files.ts";
import { decodeText } from "../../shared/app-config/decode-text.ts";
import { isConfigName } from "../../shared/app-config/is-config-name.ts";
import { textLimits } from "../../shared/app-config/members/kinds.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";

/** A directory here as a config's; a UsageError where there is none. What it names is read when it is asked for. */
export async function openConfigFolder(folder: string): Promise<ConfigFolder> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new UsageError(`There is no folder ${folder} here.`);
  const root = await realpath(folder);
  return { names: await namesIn(root), read: async (name) => await readWithin(root, name) };
}

/** TOML files of the root and of the folders in it; what is hidden or belongs to other programs is left out. */
async function namesIn(root: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (!entry.isDirectory()) names.push(entry.name);
    else {
      const recursive = configFiles.some(({ folder }) => folder === entry.name);
      const inside = await readdir(path.join(root, entry.name), { recursive });
      names.push(...inside.map((one) => `${entry.name}/${one.split(path.sep).join("/")}`));
    }
  }
  return names.filter(isConfigName);
}

async function readWithin(root: string, name: string): Promise<string | FileFault> {
  const missing: FileFault = { code: "missing_file", detail: "is not there" };
  const file = await realpath(path.join(root, name)).catch(() => undefined);
  if (file === undefined) return missing;
  if (file !== root && !file.startsWith(root + path.sep))
    return { code: "outside_root", detail: "is a link out of the config's directory" };
  if (!(await stat(file)).isFile()) return { ...missing, detail: "is no file" };
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return { ...missing, detail: "cannot be read" };
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(textLimits.long + 1), {
      length: textLimits.long + 1,
      position: 0,
    });
    return decodeText(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
