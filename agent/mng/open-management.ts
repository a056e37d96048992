import { z } from "zod";
import { getProcessRoute } from "../../shared/api/runner-process.ts";
import type { Connection } from "../agent-context.ts";
import { Refused } from "../client/broker-errors.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { LocalContext } from "../local-context.ts";
import type { Log } from "../log.ts";
import { makeWakeUp } from "../loops/wake-up.ts";
import type { Driver } from "./driver.ts";
import { childDriver } from "./drivers/child.ts";
import { dockerDriver } from "./drivers/docker.ts";
import { systemdDriver } from "./drivers/systemd.ts";
import { openJournal } from "./journal.ts";
import type { BrokerLink, Management } from "./management.ts";
import { shareKeptToken, shareToken } from "./shared-token.ts";
import { startSupervisor } from "./supervisor.ts";
import { fetchTokens, provideToken } from "./tokens.ts";
import { openVersions } from "./versions.ts";

const heardWithinMs = 30_000;
const askWithinMs = 5_000;
const processSchema = z.looseObject({ version: z.string(), initial_health_check: z.boolean() });

/** Starts to look after the install agent of this host; it goes on with what an earlier process had begun. */
export async function openManagement(config: AgentConfig, log: Log): Promise<Management> {
  const wakeUp = makeWakeUp();
  const journal = await openJournal(config.dataDir, log);
  const driver = openDriver(config, wakeUp.wake);
  await shareKeptToken(config).catch((error: unknown) => {
    log.error({ err: error }, "the agent's token could not be written; it is tried again later");
  });
  return startSupervisor({ config, driver, journal, log }, wakeUp);
}

function openDriver(config: AgentConfig, onEnd: () => void): Driver {
  const versions = openVersions(config);
  const drivers = {
    child: () => childDriver(config, versions, onEnd),
    systemd: () => systemdDriver(config, versions),
    docker: () => dockerDriver(config),
  };
  return drivers[config.mngDriver]();
}

/** Makes a queue of what reads and writes tokens: two at once could each write what the other has replaced. */
function makeInTurn(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (act) => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

/** What the management process asks of the broker, through the agent that it is. */
export function brokerLinkOf(
  connection: Connection,
  { config, results, runningJobs }: LocalContext,
): BrokerLink {
  const { client, runnerId, settings, tokens } = connection;
  const parts = { ...connection, config };
  const inTurn = makeInTurn();
  return {
    fetchTokens: async () => await inTurn(async () => await fetchTokens(parts)),
    provideToken: async (signal) => await inTurn(async () => await provideToken(parts, signal)),
    shareToken: async (next) =>
      await inTurn(async () => await shareToken(config, next, tokens.current())),
    onTokenChange: tokens.onChange,
    settings: settings.current,
    async lookAtProcess(process_id) {
      const input = { params: { runner_id: runnerId, process_id } };
      const how = {
        scope: "agent",
        isOnce: true,
        timeoutMs: askWithinMs,
        answer: processSchema,
      } as const;
      try {
        const { body } = await client.call(getProcessRoute, input, how);
        return { hasBeaten: body.initial_health_check, version: body.version };
      } catch (error) {
        return error instanceof Refused ? { hasBeaten: false, version: "" } : undefined;
      }
    },
    isAnswering: () => performance.now() - client.heardAtMs() < heardWithinMs,
    isDelivered: () => results.list().length === 0 && runningJobs.all().length === 0,
  };
}
