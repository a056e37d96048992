import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { NewJob } from "../../../broker/jobs/new-job.ts";

/** An action that runs until it is released. */
export type HeldScript = {
  readonly job: Partial<NewJob>;
  /** Lets the script end. */
  readonly release: () => Promise<void>;
};

/** A script that waits in this folder for its release, then sets an output and ends well. */
export function heldScript(folder: string, name = "held"): HeldScript {
  const gate = path.join(folder, `${name}.gate`);
  const script = [
    "#!/bin/sh",
    "echo waiting",
    `while [ ! -e "${gate}" ]; do sleep 0.05; done`,
    'echo released=yes >> "$SVC_ACTIONS_OUTPUT_FILEPATH"',
  ].join("\n");
  const plan = { steps: [{ name, interpolated_inline_contents: script }] };
  return {
    job: { type: "actions-workflow", plan: JSON.stringify(plan) },
    release: async () => await writeFile(gate, ""),
  };
}
