import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import { graphOfDocument } from "../../../shared/app-config/config-graph.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";

/** What of a stored document needs what, as JSON. */
export function graphOfText({ bytes: [text] }: WorkGiven<object>): WorkDone<object> {
  if (text === undefined) throw new Error("there is no document to draw");
  const document = JSON.parse(text.toString("utf8")) as AppConfigDocument; // stored as it was checked
  const { order, edges } = graphOfDocument(document);
  return { told: {}, bytes: [Buffer.from(JSON.stringify({ order, edges }))] };
}
