import type { AgentConfig } from "../config/read-config.ts";
import type { ExitName } from "./exit-codes.ts";
import type { ShutdownState } from "./shutdown-state.ts";

/** Signals that an agent handles. */
export type AgentSignal = "SIGTERM" | "SIGINT" | "SIGQUIT" | "SIGUSR2";

const exitOf: Readonly<Record<AgentSignal, ExitName>> = {
  SIGTERM: "terminated",
  SIGINT: "interrupted",
  SIGQUIT: "killed",
  SIGUSR2: "done",
};

/**
 * What signals do: the first drains (or stops jobs, where the host waits only seconds), the second stops jobs, the
 * third and SIGQUIT kill them; or the first leaves jobs in pods to the next start. SIGUSR2 lets jobs finish, however
 * long they take, and counts as none of these. Returns the handler.
 */
export function makeSignalHandler(
  config: Pick<AgentConfig, "onSigterm" | "drainTimeout">,
  shutdown: ShutdownState,
): (signal: AgentSignal) => void {
  let count = 0;
  return (signal) => {
    if (signal === "SIGUSR2") {
      const why = "its management process asked it to finish";
      return shutdown.request({ urgency: "draining", exit: "done", why });
    }
    count += 1;
    const nth = signal === "SIGQUIT" ? 3 : config.onSigterm === "cancel" ? count + 1 : count;
    const why = `it received ${signal}`;
    if (nth === 1 && config.onSigterm === "leave") {
      shutdown.request({ urgency: "draining", exit: "done", why, leavesJobs: true });
    } else if (nth === 1) {
      const deadlineMs = performance.now() + config.drainTimeout;
      shutdown.request({ urgency: "draining", exit: "done", why, deadlineMs });
    } else if (nth === 2) {
      shutdown.request({ urgency: "stopping", exit: exitOf[signal], why });
    } else {
      shutdown.request({ urgency: "killing", exit: "killed", why });
    }
  };
}
