/** Words that stand in paths where a name may: a thing of that name could not be reached by it. */
export const reservedNames = {
  app: ["label-keys"],
  install: ["health", "label-keys", "sandbox-runs", "stacks"],
  component: ["build-all", "builds", "deploy-all", "deploys", "label-keys", "teardown-all"],
  action: ["adhoc-run", "configs", "label-keys", "latest-runs", "runs"],
  runbook: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Nameable = keyof typeof reservedNames;

/** Whether a text has the form of an id, of whatever: it is looked up as no name. */
export const isIdShaped = (text: string): boolean => /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/.test(text);

/** Why a new thing may not have this name; undefined where it may. `-` is equal to `_`. */
export function whyReserved(kind: Nameable, name: string): string | undefined {
  if (isIdShaped(name)) return "Must not have the form of an id.";
  if (/^(?:[-_]|\.{1,2})$/.test(name)) return "Has a meaning in paths. Choose another name.";
  const words: readonly string[] = reservedNames[kind];
  if (!words.includes(name.replaceAll("_", "-"))) return undefined;
  return "Is a word of the API's paths. Choose another name.";
}
