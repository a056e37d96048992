import { createHash } from "node:crypto";
import { z } from "zod";

const state = z
  .looseObject({ inputs: z.record(z.string(), z.unknown()).nullish() })
  .nullish()
  .catch(undefined);
const metadata = z.looseObject({
  op: z.string(),
  urn: z.string(),
  type: z.string().catch(""),
  old: state,
  new: state,
  diffs: z.array(z.string()).nullish().catch(undefined),
});
const event = z.looseObject({
  resourcePreEvent: z.looseObject({ metadata }).nullish(),
  resOutputsEvent: z.looseObject({ metadata }).nullish(),
  resOpFailedEvent: z.looseObject({ metadata }).nullish(),
  diagnosticEvent: z
    .looseObject({ urn: z.string().nullish(), message: z.string(), severity: z.string() })
    .nullish(),
  summaryEvent: z
    .looseObject({ resourceChanges: z.record(z.string(), z.number()).nullish() })
    .nullish(),
});

/** A step that an engine plans or takes. Secrets in its inputs are masked by the engine. */
export type Step = {
  readonly op: string;
  readonly urn: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  /** Names of the inputs that differ, where the engine tells. */
  readonly diffs: readonly string[];
};

export type EngineError = { readonly message: string; readonly urn?: string };

/** What an engine told in the course of one command. */
export type EngineEvents = {
  readonly steps: readonly Step[];
  readonly errors: readonly EngineError[];
  /** How often each op was planned or done; of a command that was killed: as far as is known. */
  readonly counts: Readonly<Record<string, number>>;
  /** Changes that were made, and that failed. */
  readonly made: number;
  readonly failed: number;
};

const mostErrors = 10;
const mostMessage = 1_500;

/** Reads the file of events; a last line that was cut off is passed over. */
export function readEvents(text: string, redact: (text: string) => string): EngineEvents {
  const steps: Step[] = [];
  const errors: EngineError[] = [];
  let counts: Readonly<Record<string, number>> | undefined;
  // A component tells of itself twice.
  const [made, failed] = [new Set<string>(), new Set<string>()];
  for (const line of text.split("\n")) {
    const read = eventIn(line);
    if (read === undefined) continue;
    const { resourcePreEvent: begun, resOutputsEvent: done, resOpFailedEvent: broken } = read;
    if (begun != null) steps.push(stepOf(begun.metadata));
    if (done != null && isChange(done.metadata.op)) made.add(nameOf(done.metadata));
    if (broken != null) failed.add(nameOf(broken.metadata));
    const { diagnosticEvent: said, summaryEvent: summary } = read;
    if (said?.severity === "error" && errors.length < mostErrors)
      errors.push(errorOf(said, redact));
    if (summary != null) counts = summary.resourceChanges ?? {};
  }
  return { steps, errors, counts: counts ?? countsOf(steps), made: made.size, failed: failed.size };
}

const nameOf = ({ op, urn }: Pick<Step, "op" | "urn">): string => `${op} ${urn}`;

function eventIn(line: string): z.infer<typeof event> | undefined {
  if (line === "") return undefined;
  try {
    return event.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function stepOf({ op, urn, old, new: next, diffs }: z.infer<typeof metadata>): Step {
  const [before, after] = [shownInputs(old?.inputs), shownInputs(next?.inputs)];
  return { op, urn, before, after, diffs: diffs ?? [] };
}

/** What a dynamic provider is made of is code, which nobody reads: it is told apart by its digest. */
function shownInputs(
  inputs: Readonly<Record<string, unknown>> | null | undefined,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(inputs ?? {}).map(([name, value]) => [
      name,
      name.startsWith("__") ? `(code ${digestOf(value).slice(0, 12)})` : value,
    ]),
  );
}

function errorOf(
  { message, urn }: { readonly message: string; readonly urn?: string | null | undefined },
  redact: (text: string) => string,
): EngineError {
  // The engine marks where text is coloured.
  const plain = redact(message.replaceAll(/<\{%[^%]*%\}>/g, "").trim());
  return { message: plain.slice(0, mostMessage).toWellFormed(), ...(urn && { urn }) };
}

function countsOf(steps: readonly Step[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { op } of steps) counts[op] = (counts[op] ?? 0) + 1;
  return counts;
}

const still: ReadonlySet<string> = new Set([
  "same",
  "read",
  "read-replacement",
  "read-discard",
  "refresh",
]);

/** Whether an op changes something. */
export const isChange = (op: string): boolean => !still.has(op);

/** The digest of a value, by which steps are compared. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("hex");
}
