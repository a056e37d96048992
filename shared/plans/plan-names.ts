import { otherPlaces, textAt, workspacePlaces } from "./plan-places.ts";

const places = [...workspacePlaces.map(({ path }) => path), ...otherPlaces];

/** Whether it is like ids are in a path: nothing else is reached by a plan that names it. */
export const isId = (text: string): boolean => /^[\w.:-]{1,200}$/.test(text);

/**
 * The ids that a plan names, each once: of workspaces, charts, actions' runs and configs. What reaches one of them
 * judges the plan itself.
 */
export function planNames(plan: unknown): string[] {
  const texts = places.map((place) => textAt(plan, place));
  return [...new Set(texts.filter((text) => text !== undefined && isId(text)))] as string[];
}

/** As much of a plan as has the same names, and the same timeout of its own: little, however large it is. */
export function planOutline(
  plan: Readonly<Record<string, unknown>>,
  isName: (text: string) => boolean = isId,
): Record<string, unknown> {
  const { timeout } = plan;
  const outline: Record<string, unknown> = typeof timeout === "number" ? { timeout } : {};
  for (const place of places) {
    const text = textAt(plan, place);
    if (text === undefined || !isName(text)) continue;
    let into = outline;
    for (const member of place.slice(0, -1)) {
      into = (into[member] ??= {}) as Record<string, unknown>; // no place ends where another goes on
    }
    into[place.at(-1) ?? ""] = text;
  }
  return outline;
}
