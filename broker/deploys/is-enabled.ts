import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";

type Config = Pick<AppConfigDocument, "components"> | undefined;

/** Whether an install has a component that it may leave out; undefined of one that every install has. */
export function isEnabled(
  config: Config,
  toggles: Readonly<Record<string, boolean>> | null | undefined,
  name: string,
): boolean | undefined {
  const part = config?.components?.find((one) => nameKey(one.name) === nameKey(name));
  if (part?.toggleable !== true) return undefined;
  const said = Object.entries(toggles ?? {}).find(([key]) => nameKey(key) === nameKey(name));
  return said?.[1] ?? part.default_enabled === true;
}
