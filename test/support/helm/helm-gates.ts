import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "../../tools/find-tool.ts";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";

/** The calls of helm's that a deploy of a chart is made of: it renders, then it upgrades; this side or that of it. */
export type HelmGate = `${"before" | "after"}-${"render" | "upgrade"}`;

/** A helm that stands still where it is told to. */
export type HelmGates = {
  /** A PATH that begins with it. */
  readonly path: string;
  /** The next call that comes there waits until it is let go on. */
  readonly shut: (gate: HelmGate) => Promise<void>;
  /** Resolves when a call waits there. */
  readonly reached: (gate: HelmGate) => Promise<void>;
  readonly open: (gate: HelmGate) => Promise<void>;
};

/** The real helm behind gates, each of which can be shut again and again while agents use it. */
export async function helmGates(): Promise<HelmGates> {
  const folder = await testFolder(0o777);
  const at = (name: string): string => path.join(folder, name);
  const script = `#!/bin/sh
stand() {
  mv ${folder}/shut-$1 ${folder}/reached-$1 2>/dev/null || return 0
  until [ -e ${folder}/open-$1 ]; do sleep 0.05; done
}
case "$*" in
upgrade*--dry-run*) phase=render ;;
upgrade*--wait*) phase=upgrade ;;
*) exec '${tool("helm")}' "$@" ;;
esac
stand before-$phase
'${tool("helm")}' "$@"
code=$?
stand after-$phase
exit $code
`;
  await writeFile(at("helm"), script, { mode: 0o755 });
  return {
    path: `${folder}:${process.env["PATH"] ?? ""}`,
    shut: async (gate) => {
      for (const was of ["open", "reached"]) await rm(at(`${was}-${gate}`), { force: true });
      await writeFile(at(`shut-${gate}`), "");
    },
    reached: async (gate) => await until(() => existsSync(at(`reached-${gate}`))),
    open: async (gate) => await writeFile(at(`open-${gate}`), ""),
  };
}
