import { backoffMs } from "../client/backoff.ts";
import { makeWakeUp, type WakeUp } from "../loops/wake-up.ts";
import { Refusal } from "./driver.ts";
import { type FollowSettings, followSettings } from "./follow-settings.ts";
import type { Journal, Outcome } from "./journal.ts";
import { makeKeeper } from "./keeper.ts";
import { lookAfterToken } from "./look-after-token.ts";
import type { Ask, BrokerLink, Management } from "./management.ts";
import { newOperation } from "./new-operation.ts";
import { makeOperator, type Operator } from "./operator.ts";
import { isTriedAgain, wordsOf } from "./steps/step.ts";
import type { Supervision, SupervisorSpec } from "./supervision.ts";
import { dueHostRestart, hostRestartAtMs } from "./vm-uptime.ts";

const lookEveryMs = 1_000;
const tokenDelays = { fromMs: 1_000, mostMs: 600_000 };
/** Delays between starts of an agent that ends: random, up to a second, then two, up to a minute. */
const startDelays = { fromMs: 1_000, mostMs: 60_000 };

/** Makes the supervisor of the install agent, and starts it. It goes on with what a former one had begun. */
export function startSupervisor(spec: SupervisorSpec, wakeUp: WakeUp = makeWakeUp()): Management {
  const { log } = spec;
  const over = new AbortController();
  const asks = new Map<string, Ask>();
  const waiting = new Map<string, (outcome: Outcome) => void>();
  let link: BrokerLink | undefined;
  const supervision: Supervision = {
    ...spec,
    keeper: makeKeeper(startDelays),
    link: () => link,
    say(key, words) {
      log.info({ key }, words);
      asks.get(key)?.say(words);
    },
    signalOf: (key) => asks.get(key)?.signal,
  };
  const operator = makeOperator(supervision, over.signal);
  const follow = followSettings(supervision);

  const loop = { supervision, operator, follow, asks, waiting, wakeUp };
  const ended = look(loop, over.signal);

  return {
    request: async (ask) => await request(loop, ask),
    async fetchTokens() {
      if (link === undefined) throw new Refusal("There is no broker yet.");
      return await link.fetchTokens();
    },
    hostRestartAtMs: () => hostRestartAtMs(supervision),
    async shareToken(next) {
      await link?.shareToken(next).catch((error: unknown) => {
        log.error({ err: error }, "the agent's token could not be written; it is tried again");
      });
    },
    connect(given) {
      link = given;
      const onGiven = (): void => {
        supervision.keeper.forgive(); // it ended for want of one
        wakeUp.wake();
      };
      void lookAfterToken(given, { log, limits: tokenDelays, onGiven }, over.signal);
      wakeUp.wake();
    },
    async close() {
      over.abort();
      await ended;
    },
  };
}

type Looking = {
  readonly supervision: Supervision;
  readonly operator: Operator;
  readonly follow: FollowSettings;
  readonly asks: Map<string, Ask>;
  readonly waiting: Map<string, (outcome: Outcome) => void>;
  readonly wakeUp: WakeUp;
};

async function request({ asks, waiting, wakeUp }: Looking, ask: Ask): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  asks.set(ask.key, ask);
  waiting.set(ask.key, resolve);
  ask.signal.addEventListener("abort", wakeUp.wake, { once: true });
  wakeUp.wake();
  try {
    return await promise;
  } finally {
    asks.delete(ask.key);
    ask.signal.removeEventListener("abort", wakeUp.wake);
  }
}

/** Looks after the agent until the signal aborts. */
async function look(looking: Looking, signal: AbortSignal): Promise<void> {
  const { config, log } = looking.supervision;
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  let troubles = 0;
  while (!signal.aborted) {
    let waitMs: number;
    try {
      waitMs = Math.min(await turn(looking), lookEveryMs);
      troubles = 0;
    } catch (error) {
      log.error({ err: error }, "managing the agent failed; it is tried again");
      waitMs = backoffMs(troubles++, limits);
      if (!isTriedAgain(troubles)) disappoint(looking, error);
    }
    if (waitMs > 0) await looking.wakeUp.wait(waitMs, signal);
  }
}

/** Those whose turn does not come are told why. */
function disappoint({ supervision, waiting }: Looking, error: unknown): void {
  const { operation, release } = supervision.journal.read();
  const words = `It was not started: managing the agent fails: ${wordsOf(error)}`;
  for (const [key, tell] of waiting) {
    if (key === operation?.key) continue;
    tell({ result: "failed", words, from: release, to: release });
    waiting.delete(key);
  }
}

async function turn({ supervision, operator, follow, asks, waiting }: Looking): Promise<number> {
  const { journal } = supervision;
  tellEnds(journal, waiting);
  const { operation } = journal.read();
  if (operation !== null) return await operator.advance(operation);
  const next = firstAsk(asks, waiting, journal);
  if (next !== undefined) return await begin(supervision, operator, next);
  const waitMs = await operator.keepRunning();
  const wish = (await dueHostRestart(supervision)) ?? (await follow.due());
  if (wish === undefined) return waitMs;
  await operator.begin(wish);
  return 0;
}

/** Those who asked for what has ended are told. */
function tellEnds(journal: Journal, waiting: Map<string, (outcome: Outcome) => void>): void {
  for (const { key, outcome } of journal.read().ended) {
    waiting.get(key)?.(outcome);
    waiting.delete(key);
  }
}

function firstAsk(
  asks: ReadonlyMap<string, Ask>,
  waiting: ReadonlyMap<string, unknown>,
  journal: Journal,
): Ask | undefined {
  const isEnded = (key: string): boolean => journal.read().ended.some((one) => one.key === key);
  return [...asks.values()].find(({ key }) => waiting.has(key) && !isEnded(key));
}

/** Begins what was asked for, or refuses it. */
async function begin(supervision: Supervision, operator: Operator, ask: Ask): Promise<number> {
  const { key, kind, drainMs, named = {}, signal } = ask;
  const { config, driver, journal, link } = supervision;
  const { release } = journal.read();
  const wish = { key, kind, from: release, to: release, drain_until_ms: Date.now() + drainMs };
  if (signal.aborted) {
    await operator.end(newOperation(wish), "cancelled", "It was cancelled before it started.");
    return 0;
  }
  if (kind === "power-off" && config.mngPowerOff !== "yes") {
    const words = "The owner of this host does not allow powering it off: mng-power-off is no.";
    return await operator.end(newOperation(wish), "refused", words);
  }
  if (kind !== "update") {
    await operator.begin(newOperation(wish));
    return 0;
  }
  const settings = link()?.settings();
  const desired = settings === undefined ? "" : driver.wanted(settings);
  const to = driver.named(named) || desired;
  const refusal =
    to === ""
      ? "The target is missing: set it in the runner's settings, the plan or the job's metadata."
      : desired !== "" && to !== desired
        ? `The runner's settings ask for ${desired}, and this host follows them: change the settings to switch to ${to}.`
        : undefined;
  const operation = newOperation({ ...wish, to });
  if (refusal === undefined) await operator.begin(operation);
  else await operator.end(operation, "refused", refusal);
  return 0;
}
