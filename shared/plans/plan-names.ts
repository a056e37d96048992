import { otherPlaces, textAt, workspacePlaces } from "./plan-places.ts";

const places = [...workspacePlaces.map(({ path }) => path), ...otherPlaces];

/** As ids are in a path. */
const id = /^[\w.:-]{1,200}$/;

/**
 * The ids that a plan names, each once: of workspaces, charts, actions' runs and configs. What reaches one of them
 * judges the plan itself.
 */
export function planNames(plan: unknown): string[] {
  const texts = places.map((place) => textAt(plan, place));
  return [...new Set(texts.filter((text) => text !== undefined && id.test(text)))] as string[];
}
