import { onceAborted } from "../client/pause.ts";

/** From the first command on that runs although the job is to stop, there is so much time for all of them. */
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
