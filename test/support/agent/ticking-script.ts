import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { SecretWord } from "./secret-word.ts";

/** An action that prints its secret again and again until it is released. */
export type TickingScript = {
  readonly job: Partial<NewJob>;
  /** Lets the script end. */
  readonly release: () => Promise<void>;
  /** Every line it has printed, redacted; undefined while it runs. */
  readonly printed: () => Promise<string[] | undefined>;
};

/** A script that ticks in this folder until its release, then says in base64 what it knows, and ends well. */
export function tickingScript(folder: string, secret: SecretWord, name = "held"): TickingScript {
  const [gate, count] = [path.join(folder, `${name}.gate`), path.join(folder, `${name}.count`)];
  const script = [
    "#!/bin/sh",
    "n=0",
    `until [ -e "${gate}" ]; do n=$((n + 1)); echo "tick $n $WORD"; sleep 0.05; done`,
    'printf "%s" "$WORD" | base64',
    'echo "done $n"',
    `echo "$n" > "${count}.new" && mv "${count}.new" "${count}"`,
    'echo released=yes >> "$SVC_ACTIONS_OUTPUT_FILEPATH"',
  ].join("\n");
  const step = {
    name,
    interpolated_inline_contents: script,
    interpolated_env_vars: { WORD: secret.plain },
  };
  return {
    job: { type: "actions-workflow", plan: JSON.stringify({ steps: [step] }) },
    release: async () => await writeFile(gate, ""),
    printed: async () => {
      if (!existsSync(count)) return undefined;
      return linesOf(Number(await readFile(count, "utf8")));
    },
  };
}

/** Whether a script that was stopped may have printed this so far. */
export function isBeginning(printed: readonly string[]): boolean {
  const ticks = printed.filter((line) => line.startsWith("tick")).length;
  const lines = linesOf(ticks);
  return printed.every((line, at) => line === lines[at]);
}

const linesOf = (ticks: number): string[] => [
  ...Array.from({ length: ticks }, (_, at) => `tick ${at + 1} ***`),
  "***",
  `done ${ticks}`,
];
