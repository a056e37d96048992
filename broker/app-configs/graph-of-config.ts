import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Asking } from "./changes-between.ts";
import { findConfig } from "./queries.ts";
import { type ConfigId, requireText } from "./show-configs.ts";
import type { GraphShape } from "./work/graph-of-text.ts";

/** What of a config needs what, as JSON. */
export async function graphOfConfig(
  { db, work }: Pick<Broker, "db" | "work">,
  { actor: { orgId }, withPermit, gone }: Asking,
  { which, isText }: { readonly which: ConfigId } & GraphShape,
): Promise<Uint8Array> {
  const text = await withPermit(async () => {
    if ((await findConfig(db, orgId, which)) === undefined) throw problem.notFound("app config");
    return await requireText(db, orgId, which.id);
  });
  const bytes = [Buffer.from(text)];
  const drawn = await work.run({ orgId, kind: "configs.graph", asked: { isText }, bytes }, gone);
  return drawn.bytes[0] ?? new Uint8Array();
}
