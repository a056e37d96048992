import { checkSignal } from "../../shared/check-signal.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { type Pointer, type ProblemError, problem } from "../../shared/problem.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import type { Sealed, Seals } from "../seals/seals.ts";
import { requireDeeds } from "../signals/require-fileable.ts";
import type { Actor } from "../tokens/actor.ts";
import type { EmitterWithTemplate } from "./row.ts";

type Template = {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Its text as it was sent, with all digits. */
  readonly text?: string | undefined;
};

type SealedTemplate = Pick<EmitterWithTemplate, "org_id" | "id" | "key_id" | "contents">;

/** How signals of the type are executed; 422 or 403 for a template that they could not be filed with by this caller. */
export async function requireTemplate(
  broker: Pick<Broker, "db" | "egress">,
  actor: Pick<Actor, "bound" | "orgId" | "permissions">,
  { type, value, text = JSON.stringify(value) }: Template,
): Promise<{ readonly runs: "pull" | "task" | "hold"; readonly task: string | null }> {
  const faults = checkSignal(type, value);
  if (faults.length > 0) throw problem.invalid(faults.map(toError));
  await requireDeeds(broker, actor, [{ type, value, pointer: "#/signal_template", text }]);
  const row = signalType(type);
  const url = row?.calls?.(value);
  const checked = url === undefined ? undefined : await broker.egress.checkReceiver(url);
  if (checked?.isOk === false) {
    const { code, detail } = checked;
    throw problem.invalid([{ pointer: "#/signal_template/url", code, detail }]);
  }
  const { runs, task = null } = row ?? { runs: "pull" as const };
  return { runs, task };
}

/** Seals the data of an emitter's signals. */
export function sealTemplate(
  seals: Seals,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  text: string,
): Sealed {
  return seals.seal({ orgId, id, part: "template" }, Buffer.from(text));
}

/** The data of an emitter's signals, as text. */
export function openTemplate(seals: Seals, template: SealedTemplate): Buffer {
  const { org_id: orgId, id, key_id: keyId, contents: bytes } = template;
  return seals.open({ orgId, id, part: "template" }, { keyId, bytes });
}

/** The same as a value, with all digits of its numbers. */
export function readTemplate(seals: Seals, row: SealedTemplate): Template["value"] {
  return parseExactly(openTemplate(seals, row).toString()) as Template["value"]; // written by this file only
}

function toError({ path, code, message }: ReturnType<typeof checkSignal>[number]): ProblemError {
  const [first, ...rest] = path.map(String);
  const member = first === "type" ? "signal_type" : "signal_template";
  const pointer = `#/${[member, ...rest].map(escaped).join("/")}` as Pointer; // begins as one
  return { pointer, code, detail: message };
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
