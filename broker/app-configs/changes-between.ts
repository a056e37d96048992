import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import { findConfig } from "./queries.ts";
import { type ConfigId, requireText } from "./show-configs.ts";
import type { DiffSummary } from "./work/diff-texts.ts";

/** Who asks, and how a read takes its permit. */
export type Asking = {
  readonly actor: Pick<Actor, "id" | "orgId" | "requestSeed">;
  readonly withPermit: WithPermit;
  readonly gone: AbortSignal;
};

/** What a config has otherwise than another one of the app, as JSON: the named one, else the one that was active before it. */
export async function changesBetween(
  { db, work }: Pick<Broker, "db" | "work">,
  { actor: { orgId }, withPermit, gone }: Asking,
  { app, id, oldId }: ConfigId & { readonly oldId?: string | undefined },
): Promise<{
  readonly changes: Uint8Array;
  readonly summary: DiffSummary;
  /** With which it was compared; null: with none, so all is added. */
  readonly oldId: string | null;
}> {
  const [texts, compareId] = await withPermit(async () => {
    const previous = await requirePrevious(id);
    if (oldId !== undefined) await requirePrevious(oldId);
    const before = oldId ?? previous;
    const now = await requireText(db, orgId, id);
    const both = before === null ? [now] : [now, await requireText(db, orgId, before)];
    return [both, before] as const;
  });
  const bytes = texts.map((text) => Buffer.from(text));
  const compared = await work.run({ orgId, kind: "configs.diff", asked: {}, bytes }, gone);
  const changes = compared.bytes[0] ?? new Uint8Array();
  return { changes, summary: compared.told, oldId: compareId };

  async function requirePrevious(config: string): Promise<string | null> {
    const row = await findConfig(db, orgId, { app, id: config });
    if (row === undefined) throw problem.notFound("app config");
    return row.previous_id;
  }
}
