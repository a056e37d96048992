import type { AppConfigDocument } from "../../../shared/app-config/config-files.ts";
import { diffConfigs } from "../../../shared/app-config/diff-configs.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";

/** How many changes there are of each kind. */
export type DiffSummary = Readonly<Record<"added" | "changed" | "removed", number>>;

/** What a stored document has otherwise than an older one, if there is one, as JSON; the newer one comes first. */
export function diffTexts({ bytes: [now, old] }: WorkGiven<object>): WorkDone<DiffSummary> {
  if (now === undefined) throw new Error("there is no document to compare");
  const changes = diffConfigs(old && documentOf(old), documentOf(now));
  const count = (kind: keyof DiffSummary) => changes.filter(({ change }) => change === kind).length;
  const told = { added: count("added"), changed: count("changed"), removed: count("removed") };
  return { told, bytes: [Buffer.from(JSON.stringify(changes))] };
}

const documentOf = (text: Buffer): AppConfigDocument =>
  JSON.parse(text.toString("utf8")) as AppConfigDocument; // stored as it was checked
