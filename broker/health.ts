import { runningTimer } from "./clocks/running-timer.ts";

type Check = () => Promise<string | undefined>;

/** Whether this broker should be sent requests: every check passes and it is not draining. */
export type Health = {
  /** Adds a check; it answers undefined when all is well, else a few words. */
  readonly addCheck: (name: string, check: Check) => void;
  readonly startDraining: () => void;
  readonly isDraining: () => boolean;
  /** Runs all checks at once, each at most a second; the list has `draining` as one of them. */
  readonly runChecks: () => Promise<readonly CheckResult[]>;
};
export type CheckResult = { readonly name: string; readonly fault: string | undefined };

const checkTimeoutMs = 1000;

/** The health of one broker, which begins ready. */
export function createHealth(): Health {
  const checks = new Map<string, Check>();
  let isDraining = false;
  return {
    addCheck: (name, check) => void checks.set(name, check),
    startDraining: () => {
      isDraining = true;
    },
    isDraining: () => isDraining,
    runChecks: async () => [
      { name: "draining", fault: isDraining ? "this broker is shutting down" : undefined },
      ...(await Promise.all([...checks].map(([name, check]) => run(name, check)))),
    ],
  };
}

async function run(name: string, check: Check): Promise<CheckResult> {
  const time = runningTimer(checkTimeoutMs);
  const late = time.over.then(() => "no answer within a second");
  try {
    return { name, fault: await Promise.race([check(), late]) };
  } catch {
    return { name, fault: "failed" };
  } finally {
    time.stop();
  }
}
