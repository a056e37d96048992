import { z } from "zod";
import { readJobText } from "../../job-users/job-files.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { holdsSecret } from "./render-steps.ts";

/** An output of a stack; a sensitive one has no value here. */
export type StackOutput = { readonly sensitive: boolean; readonly value?: unknown };

const resource = z.looseObject({
  type: z.string(),
  outputs: z.record(z.string(), z.unknown()).nullish(),
});
const checkpoint = z.looseObject({
  checkpoint: z.looseObject({
    latest: z.looseObject({ resources: z.array(resource).nullish() }).nullish(),
  }),
});
const mostBytes = 256 * 2 ** 20;

/** The outputs of the stack, from its state, in which what is secret is encrypted. */
export async function readOutputs({
  job,
  files,
}: PulumiContext): Promise<Readonly<Record<string, StackOutput>>> {
  const text = await readJobText(files.state, job.directories.owner, mostBytes);
  const { data } = checkpoint.safeParse(parsed(text));
  const all = data?.checkpoint.latest?.resources ?? [];
  const stack = all.find(({ type }) => type === "pulumi:pulumi:Stack");
  return Object.fromEntries(
    Object.entries(stack?.outputs ?? {}).map(([name, value]) => [
      name,
      holdsSecret(value) ? { sensitive: true } : { sensitive: false, value },
    ]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
