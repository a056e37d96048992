import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { vi } from "vitest";
import { tool } from "../../tools/find-tool.ts";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";

/** A helm that stands still once, at one of its calls, until it is let go on. */
export type HeldHelm = {
  /** Resolves when it stands there. */
  readonly isHeld: () => Promise<void>;
  readonly release: () => Promise<void>;
};

/**
 * Agents that are started from now on find this helm: it stands still before, or after, the first call whose arguments
 * match the shell's pattern.
 */
export async function heldHelm(when: "before" | "after", pattern: string): Promise<HeldHelm> {
  const folder = await testFolder(0o777);
  const at = (name: string): string => path.join(folder, name);
  const hold = `mkdir ${at("held")} && until [ -e ${at("go")} ]; do sleep 0.05; done`;
  const file = at("helm");
  await writeFile(
    file,
    `#!/bin/sh
case "$*" in
${pattern})
  if [ ! -e ${at("held")} ]; then
    ${when === "before" ? hold : `'${tool("helm")}' "$@"; code=$?; ${hold}; exit $code`}
  fi ;;
esac
exec '${tool("helm")}' "$@"
`,
  );
  await chmod(file, 0o755);
  vi.stubEnv("PATH", [folder, process.env["PATH"]].join(":"));
  return {
    isHeld: async () => await until(() => existsSync(at("held"))),
    release: async () => await writeFile(at("go"), ""),
  };
}
