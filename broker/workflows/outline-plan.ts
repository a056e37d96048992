import type { WorkDone, WorkGiven } from "../work-pool/work-kind.ts";
import { outlineOfTexts } from "./plan-outline.ts";

/** The outline of a long plan, and of its twin where there is one, as JSON. */
export function outlinePlan({ bytes: [text, shown] }: WorkGiven<object>): WorkDone<object> {
  const outline = outlineOfTexts(String(text), shown?.toString("utf8"));
  return { told: {}, bytes: [Buffer.from(JSON.stringify(outline))] };
}
