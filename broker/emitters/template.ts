import { checkSignal } from "../../shared/check-signal.ts";
import { type Pointer, type ProblemError, problem } from "../../shared/problem.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import { requireDeeds } from "../signals/require-fileable.ts";
import type { Actor } from "../tokens/actor.ts";

type Template = {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Its text as it was sent, with all digits. */
  readonly text?: string | undefined;
};

/** How signals of the type are executed; 422 or 403 for a template that they could not be filed with by this caller. */
export async function requireTemplate(
  broker: Pick<Broker, "db" | "egress" | "seals">,
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

function toError({ path, code, message }: ReturnType<typeof checkSignal>[number]): ProblemError {
  const [first, ...rest] = path.map(String);
  const member = first === "type" ? "signal_type" : "signal_template";
  const pointer = `#/${[member, ...rest].map(escaped).join("/")}` as Pointer; // begins as one
  return { pointer, code, detail: message };
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
