import { z } from "zod";

export const hookNames = [
  "pre_plan",
  "post_plan",
  "pre_apply",
  "post_apply",
  "pre_destroy",
  "post_destroy",
] as const;
export type HookName = (typeof hookNames)[number];

const hook = z.looseObject({
  command: z.string().nullish(),
  inline_contents: z.string().nullish(),
  env_vars: z.record(z.string(), z.string()).nullish(),
  timeout: z.number().nullish(),
});
const either = z.union([z.string(), hook]).nullish();
export const hooksSchema = z
  .looseObject(Object.fromEntries(hookNames.map((name) => [name, either])))
  .nullish();

/** A script that runs before or after terraform, in its directory. */
export type Hook = {
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};
export type Hooks = Partial<Readonly<Record<HookName, Hook>>>;

const usualTimeoutMs = 60_000;

/** The hooks of a plan, by name. */
export function readHooks(given: z.infer<typeof hooksSchema>): Hooks {
  const found: Partial<Record<HookName, Hook>> = {};
  for (const name of hookNames) {
    const one = either.parse(given?.[name]);
    const read = typeof one === "string" ? { command: one } : one;
    const text = read?.inline_contents || read?.command || "";
    if (read == null || text.trim() === "") continue;
    const { env_vars, timeout } = read;
    const timeoutMs = timeout == null || timeout <= 0 ? usualTimeoutMs : timeout / 1e6;
    found[name] = { text, env: env_vars ?? {}, timeoutMs };
  }
  return found;
}
