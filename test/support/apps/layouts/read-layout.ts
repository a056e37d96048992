import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { filesOfArchive } from "../../../../broker/app-configs/work/archive-files.ts";
import { folderOfFiles } from "../../../../broker/app-configs/work/folder-of-files.ts";
import { openConfigFolder } from "../../../../cli/apps/open-config-folder.ts";
import {
  type CheckedConfig,
  checkConfigFolder,
} from "../../../../shared/app-config/check-config.ts";
import { tarEnd, tarEntry } from "../tar-entry.ts";
import type { Layout } from "./write-layout.ts";

/** By what every layout is read. */
export const layoutOptions = { appName: "shop", brands: ["acme"] } as const;

/** Checks a layout as a directory of a repository, in a folder below this one. */
export async function checkAsFolder(layout: Layout, below: string): Promise<CheckedConfig> {
  const root = await mkdtemp(path.join(below, "layout-"));
  const repository = path.join(root, "repository");
  const app = path.join(repository, "apps", "shop");
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await mkdir(path.join(repository, ".git"), { recursive: true });
  await mkdir(app, { recursive: true });
  for (const [file, text] of layout.files) await write(path.join(app, file), text);
  for (const [link, { to, body, leads, isFolder }] of layout.links) {
    const base = { out: root, git: path.join(repository, ".git") }[leads] ?? repository;
    const target = path.join(base, to);
    await write(isFolder ? path.join(target, "one.toml") : target, body);
    await mkdir(path.dirname(path.join(app, link)), { recursive: true });
    await symlink(target, path.join(app, link));
  }
  return await checkConfigFolder(await openConfigFolder(app), layoutOptions);
}

/** A layout as a tar.gz, in which files are where its links are. */
export function packLayout({ files, links }: Layout): Buffer {
  const linked = [...links].map(([link, { body, isFolder }]): [string, string] => [
    isFolder ? `${link}/one.toml` : link,
    body,
  ]);
  const entries = [...files, ...linked].map(([file, text]) => tarEntry(file, text));
  return gzipSync(Buffer.concat([...entries, tarEnd]), { level: 1 });
}

/** Checks a layout as a broker does that gets its archive. */
export async function checkAsArchive(layout: Layout): Promise<CheckedConfig> {
  const files = await filesOfArchive(packLayout(layout));
  return await checkConfigFolder(folderOfFiles(files), layoutOptions);
}
