import { type RenderWork, TooMuchWork } from "../../shared/app-config/templates/render-work.ts";
import { hideInText } from "../workflows/hide-in-text.ts";

/** Each value is looked for in three forms; the engine looks through so many letters in the time of a step. */
const formsOfValue = 3;
const lettersOfStep = 2_048;

/** Counts looking for so many values in a text, before it is done; false where that is more than the budget still has. */
export function canSearch(work: RenderWork, letters: number, values: number): boolean {
  try {
    work.spend(Math.ceil((letters * values * formsOfValue) / lettersOfStep));
    return true;
  } catch (error) {
    if (error instanceof TooMuchWork) return false;
    throw error;
  }
}

/** A text in which these values are hidden; undefined where looking for them is too much work. */
export const hideCounted = (
  text: string,
  values: readonly unknown[],
  work: RenderWork,
): string | undefined =>
  canSearch(work, text.length, values.length) ? hideInText(text, values) : undefined;
