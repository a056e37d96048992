import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { findOnPath } from "../../tools/find-on-path.ts";
import { findTool, tool } from "../../tools/find-tool.ts";
import { npmFolder } from "../../tools/tools-folder.ts";
import { testFolder } from "../run/folder.ts";

/** What a describeWithTools of tests with Pulumi names. */
export const pulumiTools = ["pulumi", "pulumi-language-nodejs", "npm-pulumi"] as const;

/** What programs for Pulumi import, as npm installs it. */
export const pulumiModules = (): string =>
  path.join(path.dirname(tool("npm-pulumi")), "module", "node_modules");

/** The folder with the lock file of these, and what it belongs to. */
export const pulumiLock = (): string => npmFolder("pulumi-sdk");

/** As Pulumi's own packages have it: it runs providers that are part of a program. */
const dynamicProvider = `#!/bin/sh
exec node "$(node -p 'require.resolve("@pulumi/pulumi/cmd/dynamic-provider", { paths: [process.cwd()] })')" "$@"
`;

/**
 * A PATH with pulumi, what runs programs for Node, and an npm that asks no network; agents of this test have it. Node is whichever
 * is there.
 */
export async function givenPulumiPath(): Promise<string> {
  const bin = await testFolder(0o755);
  for (const program of ["pulumi", "pulumi-language-nodejs"].filter(
    (it) => findTool(it) !== undefined,
  ))
    await symlink(tool(program), path.join(bin, program));
  await writeFile(path.join(bin, "pulumi-resource-pulumi-nodejs"), dynamicProvider, {
    mode: 0o755,
  });
  const npm = `#!/bin/sh\nSVC_NPM=${findOnPath("npm")} exec ${tool("npm-pulumi")} "$@"\n`;
  await writeFile(path.join(bin, "npm"), npm, { mode: 0o755 });
  const search = `${bin}:${process.env["PATH"]}`;
  vi.stubEnv("PATH", search);
  onTestFinished(() => void vi.unstubAllEnvs());
  return search;
}

/** A folder with a program, without what it imports. */
export async function givenProgram(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await testFolder();
  for (const [name, text] of Object.entries({ "Pulumi.yaml": projectFile, ...files })) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

export const projectFile = "name: words\nruntime: nodejs\n";
