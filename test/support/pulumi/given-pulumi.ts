import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { findOnPath } from "../../tools/find-on-path.ts";
import { findTool, tool } from "../../tools/find-tool.ts";
import { testFolder } from "../run/folder.ts";

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

/** Of a program for Node. */
export const projectFile = "name: words\nruntime: nodejs\n";
