import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "../../tools/find-tool.ts";
import { testFolder } from "../run/folder.ts";

/** The tools without which nothing is built by a Dockerfile here. */
export const imageTools = ["buildah", "busybox", "registry", "crane"] as const;

/** A folder with a Dockerfile, a program with a shell and all that it needs, and files. */
export async function givenDockerContext(
  dockerfile: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = await testFolder(0o755);
  await fillContext(folder, { Dockerfile: dockerfile, ...files });
  return folder;
}

/** Writes the files of such a folder. */
export async function fillContext(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await cp(tool("busybox"), path.join(folder, "busybox"));
}

/** A Dockerfile that runs a script by the folder's own shell. */
export const running = (script: string): string =>
  `FROM scratch\nCOPY busybox /bin/busybox\nRUN ${JSON.stringify([
    "/bin/busybox",
    "sh",
    "-c",
    `/bin/busybox --install -s /bin; ${script}`,
  ])}\n`;
