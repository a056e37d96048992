// `npm run models [-- NAME…]`: walks the models many times, by seeds of their own. A test run walks each a few times, the same each time.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { sourceFiles } from "./support/run/source-files.ts";

const root = path.join(import.meta.dirname, "..");
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");

process.exitCode = await walkModels(process.argv.slice(2));

/** Those whose files have one of these in their names; all without any. */
async function walkModels(wanted: readonly string[]): Promise<number> {
  const models = (await sourceFiles())
    .filter(({ imports }) => imports.includes("test/support/model/walks.ts"))
    .map(({ name }) => name);
  const chosen = models.filter(
    (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  );
  if (chosen.length === 0) {
    process.stderr.write(`No model has ${wanted.join(" or ")} in its name: ${models.join(", ")}\n`);
    return 2;
  }
  const env = { ...process.env, SVC_MODELS: "many" };
  const args = [vitest, "run", ...chosen];
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}
