import type { NewSignalBody } from "../../../shared/api/new-signal.ts";
import { type Pointer, problem } from "../../../shared/problem.ts";
import { cutToOutline, requestFingerprint, tooLarge } from "../../signals/signal-data.ts";
import type { ExtractedStrings } from "./extract-strings.ts";

type Members = Record<string, unknown>;

/** The signals of a body that was validated, by the operation that takes it. */
const signalsOf: Readonly<Record<string, (value: Members) => NewSignalBody[]>> = {
  enqueueSignal: (value) => [value as NewSignalBody],
  enqueueSignals: ({ signals }) => signals as NewSignalBody[],
};

/** Whether the large bodies of an operation are signals. */
export const isOfSignals = (operationId: string): boolean => Object.hasOwn(signalsOf, operationId);

/** Refuses data that is too large, as a small body's is: 422, named. Its text has placeholders for long strings. */
export function requireShortData(
  verbatim: ReadonlyMap<string, string>,
  strings: ExtractedStrings,
): void {
  const errors = [...verbatim].flatMap(
    ([pointer, text]) => tooLarge(pointer as Pointer, bytesOf(text, strings)) ?? [],
  );
  if (errors.length > 0) throw problem.invalid(errors);
}

function bytesOf(text: string, { ranges, words }: ExtractedStrings): number {
  return text.split(words).reduce((sum, part, at) => {
    const [start, end] = at % 2 === 0 ? [0, Buffer.byteLength(part)] : (ranges[Number(part)] ?? []);
    return sum + (end ?? 0) - (start ?? 0);
  }, 0);
}

/** Leaves of the signals what decides whether they may be filed; answers what told them from others, where that is asked. */
export function cutSignals(
  operationId: string,
  value: Members,
  keyedIn: string | undefined,
): string | undefined {
  const bodies = signalsOf[operationId]?.(value) ?? [];
  const fingerprint = keyedIn === undefined ? undefined : requestFingerprint(keyedIn, bodies);
  for (const body of bodies) cutToOutline(body);
  return fingerprint;
}
