import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import { graphOfDocument } from "../../../shared/app-config/config-graph.ts";
import { graphvizOf } from "../../../shared/app-config/graphviz-of.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";

/** As members, or as a text in the language of Graphviz. */
export type GraphShape = { readonly isText: boolean };

/** What of a stored document needs what, as JSON. */
export function graphOfText({
  asked: { isText },
  bytes: [text],
}: WorkGiven<GraphShape>): WorkDone<object> {
  if (text === undefined) throw new Error("there is no document to draw");
  const document = JSON.parse(text.toString("utf8")) as AppConfigDocument; // stored as it was checked
  const { order, edges } = graphOfDocument(document);
  const shown = isText ? graphvizOf({ order, edges }) : { order, edges };
  return { told: {}, bytes: [Buffer.from(JSON.stringify(shown))] };
}
