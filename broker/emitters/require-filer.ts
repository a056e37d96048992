import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import { requireTargets } from "../signals/require-targets.ts";
import type { Actor } from "../tokens/actor.ts";
import { outside } from "../tokens/bound/require-within.ts";
import type { EmitterWithTemplate } from "./row.ts";
import { readTemplate } from "./template.ts";

/**
 * Who fires an emitter, gives it another time or ends its pause decides when its signals are filed: who may not act where they act
 * may not have them act.
 */
export async function requireFiler(
  { db, seals }: Pick<Broker, "db" | "seals">,
  filer: Pick<Actor, "bound" | "orgId" | "permissions">,
  row: EmitterWithTemplate,
): Promise<void> {
  if (signalType(row.signal_type)?.isInternal === true) return; // its lane was asked
  if (filer.bound !== null) throw outside("this emitter was made by hand");
  await requireTargets(db, filer, { type: row.signal_type, value: readTemplate(seals, row) });
}
