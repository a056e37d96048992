import path from "node:path";
import { deflateRawSync } from "node:zlib";
import { type Plugin, rolldown } from "rolldown";
import { shippedAssets } from "../broker/dashboard/shipped-assets.ts";
import { shippedMigrations } from "../broker/database/shipped-migrations.ts";
import { version } from "../shared/version.ts";

/** What modules that read files of the project become in a built program, which has only itself. */
const baked: Readonly<Record<string, (root: string) => Promise<string> | string>> = {
  "shared/version.ts": () => `export const version = ${JSON.stringify(version)};`,
  "broker/database/shipped-migrations.ts": async () => {
    const files = JSON.stringify(await shippedMigrations());
    return `export async function shippedMigrations() { return ${files}; }`;
  },
  "broker/dashboard/shipped-assets.ts": () =>
    `export function shippedAssets() { return ${JSON.stringify(shippedAssets())}; }`,
  "broker/work-pool/child-program.ts": async (root) => {
    const script = await scriptOf(root, "broker/work-pool/child-main.ts");
    return `export const childProgram = { text: ${JSON.stringify(script)} };`;
  },
  "agent/doctor/ask-rights.ts": async (root) =>
    packed(await scriptOf(root, "agent/doctor/ask-rights.ts"), "askRights"),
  // Its forty other languages would make every program a third larger, and each of its characters two bytes.
  "node_modules/zod/v4/locales/index.js": () => `export { default as en } from "./en.js";`,
};

/**
 * A module whose one function unpacks itself when it is called. A program is read whole whenever it starts, and the
 * client of Kubernetes is larger than all the rest of the agent, which needs it for its doctor alone.
 */
function packed(script: string, name: string): string {
  const text = deflateRawSync(script).toString("base64");
  return `
    import { createRequire } from "node:module";
    import { compileFunction } from "node:vm";
    import { inflateRawSync } from "node:zlib";
    export async function ${name}(...given) {
      const script = inflateRawSync(Buffer.from("${text}", "base64")).toString();
      const module = { exports: {} };
      const require = createRequire(process.execPath);
      compileFunction(script, ["module", "exports", "require"])(module, module.exports, require);
      return await module.exports.${name}(...given);
    }`;
}

/** A program as one script, with all that it imports. */
async function scriptOf(root: string, input: string): Promise<string> {
  const build = await rolldown({ cwd: root, input, platform: "node", tsconfig: false });
  try {
    const { output } = await build.generate({
      format: "cjs",
      codeSplitting: false,
      minify: "dce-only",
    });
    return output[0].code;
  } finally {
    await build.close();
  }
}

const isMain = "import.meta.main";

/** Puts the contents of files into the program, and lets only its entry believe that it was started. */
export function bakedModules(root: string, entry: string): Plugin {
  const nameOf = (id: string) => path.relative(root, id).replaceAll("\\", "/");
  return {
    name: "baked-modules",
    async load(id) {
      const code = await baked[nameOf(id)]?.(root);
      return code === undefined ? null : { code, moduleType: "js" };
    },
    transform(code, id) {
      if (!code.includes(isMain)) return null;
      // As long as what it replaces, so that the source map stays true.
      const answer = String(nameOf(id) === entry).padEnd(isMain.length);
      return { code: code.replaceAll(isMain, answer), map: null };
    },
  };
}
