import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import { configReadsOf } from "../../../shared/app-config/config-reads.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";

/** In which order what a stored document has is deployed, and what reads which inputs, as JSON. */
export function readsOfText({ bytes: [text] }: WorkGiven<object>): WorkDone<object> {
  if (text === undefined) throw new Error("there is no document to look into");
  const document = JSON.parse(text.toString("utf8")) as AppConfigDocument; // stored as it was checked
  return { told: {}, bytes: [Buffer.from(JSON.stringify(configReadsOf(document)))] };
}
