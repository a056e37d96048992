import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import { nameKey } from "../../../shared/app-config/rules/rule.ts";
import { nearestWord } from "../../../shared/nearest-word.ts";
import { type Pointer, problem, type ProblemError } from "../../../shared/problem.ts";

type Toggles = Readonly<Record<string, boolean>>;

/** Refuses with 422 to switch components that the app's config has not, or has in every install. */
export function checkToggles(
  config: Pick<AppConfigDocument, "components"> | undefined,
  toggles: Toggles | null | undefined,
  at: Pointer,
): void {
  const components = config?.components ?? [];
  const errors = Object.keys(toggles ?? {}).flatMap((name): ProblemError[] => {
    const found = components.find((one) => nameKey(one.name) === nameKey(name));
    const pointer: Pointer = `${at}/${name}`;
    if (found === undefined) return [{ pointer, code: "unknown_component", detail: lack(name) }];
    if (found.toggleable === true) return [];
    const detail = `The component ${name} is part of every install: the config does not make it toggleable.`;
    return [{ pointer, code: "not_toggleable", detail }];
  });
  if (errors.length > 0) throw problem.invalid(errors);

  function lack(name: string): string {
    const near = nearestWord(
      name,
      components.map((one) => one.name),
    );
    const meant = near === undefined ? "" : ` Did you mean ${near}?`;
    return `The app's config has no component ${name}.${meant}`;
  }
}
