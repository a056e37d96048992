import {
  RenderError,
  type RenderWork,
  TooMuchWork,
} from "../../shared/app-config/templates/render-work.ts";

/** What this gives; undefined once it would take more than the work has left. */
export function canSpend<Made>(work: RenderWork, make: () => Made): Made | undefined {
  if (work.isSpent) return undefined;
  try {
    return make();
  } catch (error) {
    const isSpent = error instanceof RenderError && work.isSpent; // by one text that is too long
    if (isSpent || error instanceof TooMuchWork) return undefined;
    throw error;
  }
}
