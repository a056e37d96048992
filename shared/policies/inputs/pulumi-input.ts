import { isTree, type JudgedInputs, textsIn, type Tree } from "./judged-inputs.ts";

/** Whether a value is what `pulumi preview --json` prints. */
export const isPulumiPreview = (value: unknown): value is Tree =>
  isTree(value) && Array.isArray(value["steps"]);

/** What policies of pulumi read of a preview: all of it, as `input.plan`. */
export function pulumiInput(preview: Tree, identity: string): JudgedInputs {
  const secrets: string[] = [];
  const open: unknown[] = [preview];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) open.push(...(value as unknown[]));
    if (!isTree(value)) continue;
    if (value[signature] === ofSecret)
      secrets.push(...textsIn(value["plaintext"] ?? value["value"]));
    open.push(...Object.values(value));
  }
  return { inputs: [{ identity, document: { plan: preview } }], secrets: [...new Set(secrets)] };
}

/** By these Pulumi marks a secret. */
const signature = "4dabf18193072939515e22adb298388d";
const ofSecret = "1b47061264138c4ac30d75fd1eb44270";
