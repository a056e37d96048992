import { onceAborted } from "../client/pause.ts";

/** One timeout for all clean-up commands of a stopped job. It starts with the first of them. */
export function cleanupTimeout(stopping: AbortSignal): {
  readonly signal: () => AbortSignal;
  readonly close: () => void;
} {
  const cleaning = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: () => {
      const begin = (): void => void (timer ??= setTimeout(() => cleaning.abort(), mostCleanupMs));
      onceAborted(stopping, begin);
      return cleaning.signal;
    },
    close: () => clearTimeout(timer),
  };
}

const mostCleanupMs = 30_000;
