import { chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { rolldown } from "rolldown";
import { bakedModules } from "./baked-modules.ts";
import { lateNames } from "./late-names.ts";
import type { Program } from "./programs.ts";

const shebang = "#!/usr/bin/env node";
const root = path.join(import.meta.dirname, "..");

/** A module for any Node 24, or the script that a single executable begins with. */
export type BundleFormat = "esm" | "cjs";

/** Makes one file of a program and all it imports, with a source map beside it; answers the file's name. */
export async function bundle(
  { name, entry }: Program,
  directory: string,
  format: BundleFormat = "esm",
): Promise<string> {
  const file = path.join(directory, `${name}.${format === "esm" ? "mjs" : "cjs"}`);
  const hasShebang = (await readFile(path.join(root, entry), "utf8")).startsWith("#!");
  const build = await rolldown({
    cwd: root,
    input: entry,
    platform: "node",
    tsconfig: false,
    plugins: [bakedModules(root, entry), ...(format === "esm" ? [lateNames] : [])],
    checks: { pluginTimings: false }, // what a slow machine takes is nothing to fail of
    onLog(level, log) {
      if (level === "warn") throw new Error(`${name} does not bundle cleanly: ${log.message}`);
    },
  });
  try {
    await build.write({
      file,
      format,
      codeSplitting: false,
      sourcemap: true,
      keepNames: true,
      minify: "dce-only",
      comments: { legal: true, annotation: false, jsdoc: false },
      ...(format === "esm" && !hasShebang && { banner: shebang }),
    });
  } finally {
    await build.close();
  }
  await chmod(file, 0o755);
  return file;
}
