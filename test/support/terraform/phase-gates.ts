import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "../../tools/find-tool.ts";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";

/** The commands of a terraform job: `show` reads the plan, `state` what was applied. */
export type Phase = "init" | "plan" | "show" | "apply" | "state";

/** A terraform that stands still before the phases that it is told to. */
export type PhaseGates = {
  /** A PATH that begins with it. */
  readonly path: string;
  /** Its next such command waits before it begins, until it is let go, or fails at once. */
  readonly shut: (phase: Phase, how?: "waits" | "fails") => Promise<void>;
  /** Resolves when a command waits there. */
  readonly reached: (phase: Phase) => Promise<void>;
  readonly open: (phase: Phase) => Promise<void>;
};

/** The real terraform behind gates: what waits becomes it, so that a signal reaches who waits as it would reach terraform. */
export async function phaseGates(): Promise<PhaseGates> {
  const folder = await testFolder(0o777);
  const at = (name: string): string => path.join(folder, name);
  const script = `#!/bin/sh
phase=$1
[ "$1 $#" != "show 2" ] || phase=state
[ ! -e ${folder}/fails-$phase ] || { echo "a $phase that fails" >&2; exit 1; }
if [ -e ${folder}/waits-$phase ]; then
  : >${folder}/reached-$phase
  until [ -e ${folder}/open-$phase ]; do sleep 0.05; done
fi
exec ${tool("terraform")} "$@"
`;
  await writeFile(at("terraform"), script, { mode: 0o755 });
  return {
    path: `${folder}:${process.env["PATH"] ?? ""}`,
    shut: async (phase, how = "waits") => await writeFile(at(`${how}-${phase}`), ""),
    reached: async (phase) => await until(() => existsSync(at(`reached-${phase}`))),
    open: async (phase) => await writeFile(at(`open-${phase}`), ""),
  };
}
