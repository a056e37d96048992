import { execFile } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../support/run/folder.ts";

const root = path.join(import.meta.dirname, "..", "..");

/** A run of moto's tests where nothing of `npm run tools` is there. */
async function runWithout(env: Readonly<Record<string, string>>) {
  const { PATH = "", HOME = "/" } = process.env;
  const program = path.join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [program, "run", "test/tools/moto.test.ts"];
  const options = { cwd: root, env: { PATH, HOME, SVC_TOOLS_DIR: await testFolder(), ...env } };
  return await new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, args, options, (error, out) => {
      const code = typeof error?.code === "number" ? error.code : 0;
      resolve({ code, lines: out.trim().split("\n") });
    });
  });
}

describe("a run without a tool", () => {
  test("leaves its tests out, and ends by saying which, how many and how to get it", async () => {
    const { code, lines } = await runWithout({});
    expect(code).toBe(0);
    expect(lines.slice(-2)).toEqual([
      "left out: 2 tests that need moto_server; to get it: npm run tools -- --only moto",
      "0 passed, 0 failed, 2 skipped",
    ]);
  });

  test.each([{ SVC_TOOLS: "required" }, { CI: "true" }])("fails with %o", async (env) => {
    const { code, lines } = await runWithout(env);
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe("0 passed, 1 failed");
  });
});
