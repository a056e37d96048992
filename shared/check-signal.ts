import { signalType, signalTypeNames } from "./signal-types.ts";

/** What is wrong with a signal: where, from the object with `type` and `signal`. */
export type SignalFault = {
  readonly path: PropertyKey[];
  readonly code: string;
  readonly message: string;
};

/** What is wrong with the data of a signal of this type, wherever it is filed; of a type for workers, nothing ever is. */
export function checkSignal(type: string, signal: unknown): SignalFault[] {
  const row = signalType(type);
  if (row === undefined)
    return [{ path: ["type"], code: "unknown_type", message: signalTypeNames }];
  const issues = row.schema.safeParse(signal, { reportInput: true }).error?.issues ?? [];
  return issues.map(({ input, ...issue }) => ({
    ...issue,
    path: ["signal", ...issue.path],
    // Whoever passes it on has lost what was given there.
    ...(issue.code === "invalid_type" && input === undefined && missing),
  }));
}

const missing = { code: "custom", params: { code: "required" } } as const;
