import { getRunnerSettingsRoute, type RunnerSettings } from "../../shared/api/runner-settings.ts";
import type { BrokerClient } from "../client/broker-client.ts";

/** The runner's settings as last read. */
export type SettingsCache = {
  readonly current: () => RunnerSettings;
  /** Reads them again, unless they already have this version. */
  readonly refresh: (version: number) => Promise<void>;
  readonly onChange: (listener: () => void) => void;
};

type How = { readonly giveUpAfterMs?: number | undefined; readonly signal: AbortSignal };

/** Reads the settings for the first time. */
export async function openSettingsCache(
  client: BrokerClient,
  runnerId: string,
  how: How,
): Promise<SettingsCache> {
  const read = async (asked: How): Promise<RunnerSettings> => {
    const input = { params: { runner_id: runnerId } };
    const answer = await client.call(getRunnerSettingsRoute, input, { scope: "agent", ...asked });
    return answer.body;
  };
  let settings = await read(how);
  let reading: Promise<void> | undefined;
  const listeners = new Set<() => void>();
  const readAnew = async (): Promise<void> => {
    settings = await read({ signal: how.signal });
    for (const listener of listeners) listener();
  };
  return {
    current: () => settings,
    async refresh(version) {
      if (settings.version >= version) return;
      reading ??= readAnew().finally(() => (reading = undefined));
      await reading;
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
