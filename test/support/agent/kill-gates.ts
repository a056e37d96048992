import { until } from "../broker/given-polling.ts";
import type { Failing, FaultProxy, SeenRequest } from "../network/fault-proxy.ts";
import {
  type AgentProcess,
  type AgentProcessOptions,
  startAgentProcess,
} from "./start-agent-process.ts";

/** A place where an agent is killed. */
export type Gate = {
  readonly shut: () => Promise<void>;
  readonly reached: () => Promise<void>;
  /** What waits there goes on, if it has outlived the agent. */
  readonly open: () => Promise<void>;
  /** Before the agent is started again. */
  readonly meanwhile?: () => Promise<void>;
};

type Which = (seen: SeenRequest) => boolean;

/** A request that never comes to the server, as its agent is killed. */
export function requestGate(proxy: FaultProxy, which: Which): Gate {
  let hung: Failing | undefined;
  return {
    shut: async () => void (hung = await Promise.resolve(proxy.fail(which, "hang", 1))),
    reached: async () => await until(() => (hung?.hits() ?? 0) > 0),
    open: async () => await Promise.resolve(),
  };
}

/** A request that comes to the server once its agent has been killed, and started again. */
export function lateGate(proxy: FaultProxy, which: Which): Gate {
  let [held, before]: [ReturnType<FaultProxy["hold"]> | undefined, number] = [undefined, 0];
  return {
    shut: async () => {
      before = proxy.seen(which).length;
      held = await Promise.resolve(proxy.hold(which));
    },
    reached: async () => await until(() => proxy.seen(which).length > before),
    open: async () => await Promise.resolve(held?.release()),
  };
}

/** An agent that is killed at one gate after the other, and started again each time. */
export function killableAgent(settings: Readonly<Record<string, string>>) {
  let agent: AgentProcess | undefined;
  let given: AgentProcessOptions | undefined;
  const start = async (): Promise<void> => {
    if (given === undefined) throw new Error("nothing is known of the agent");
    const dataDir = agent?.dataDir;
    agent = await startAgentProcess({ ...given, ...(dataDir !== undefined && { dataDir }) });
  };
  return {
    start: async (first: AgentProcessOptions): Promise<string> => {
      given = { ...first, settings: { ...first.settings, ...settings } };
      await start();
      return agent?.dataDir ?? "";
    },
    /** Kills it at each of these, of which the first is shut; the last one is followed by `next`. */
    killAt: async (gates: readonly Gate[], next?: Gate): Promise<void> => {
      for (const [nth, gate] of gates.entries()) {
        await gate.reached();
        agent?.kill("SIGKILL");
        await agent?.ended;
        await gate.meanwhile?.();
        await (gates[nth + 1] ?? next)?.shut();
        await start();
        await gate.open();
      }
    },
  };
}
