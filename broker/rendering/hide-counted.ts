import type { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { hideInText } from "../workflows/hide-in-text.ts";
import { canSpend } from "./can-spend.ts";

/** A text in which these values are hidden; undefined where looking for them is too much work. */
export const hideCounted = (
  text: string,
  values: readonly unknown[],
  work: RenderWork,
): string | undefined =>
  canSpend(work, () => hideInText(text, values, (letters) => work.spendLook(letters)));
