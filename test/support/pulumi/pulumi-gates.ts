import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "../../tools/find-tool.ts";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";

/** The calls of pulumi that a job is made of, this side or that of each. */
export type PulumiGate = `${"before" | "after"}-${"preview" | "update"}`;

/** A pulumi that stands still where it is told to. */
export type PulumiGates = {
  /** The folder that it is in. */
  readonly folder: string;
  /** The next call that comes there waits until it is let go on. */
  readonly shut: (gate: PulumiGate) => Promise<void>;
  /** Resolves when a call waits there. */
  readonly reached: (gate: PulumiGate) => Promise<void>;
  readonly open: (gate: PulumiGate) => Promise<void>;
};

/** The real pulumi behind gates, each of which can be shut again and again while agents use it. */
export async function pulumiGates(): Promise<PulumiGates> {
  const folder = await testFolder(0o777);
  const at = (name: string): string => path.join(folder, name);
  const script = `#!/bin/sh
stand() {
  mv ${folder}/shut-$1 ${folder}/reached-$1 2>/dev/null || return 0
  until [ -e ${folder}/open-$1 ]; do sleep 0.05; done
}
case "$*" in
preview*|destroy*--preview-only*) phase=preview ;;
up*|destroy*) phase=update ;;
*) exec '${tool("pulumi")}' "$@" ;;
esac
stand before-$phase
'${tool("pulumi")}' "$@"
code=$?
stand after-$phase
exit $code
`;
  await writeFile(at("pulumi"), script, { mode: 0o755 });
  return {
    folder,
    shut: async (gate) => {
      for (const was of ["open", "reached"]) await rm(at(`${was}-${gate}`), { force: true });
      await writeFile(at(`shut-${gate}`), "");
    },
    reached: async (gate) => await until(() => existsSync(at(`reached-${gate}`))),
    open: async (gate) => await writeFile(at(`open-${gate}`), ""),
  };
}
