import { getOwnTokenRoute } from "../shared/api/tokens.ts";
import { version } from "../shared/version.ts";
import type { Connection } from "./agent-context.ts";
import { type BrokerClient, makeBrokerClient } from "./client/broker-client.ts";
import { makeBrokerClock } from "./client/broker-clock.ts";
import { type Refused, Unanswered } from "./client/broker-errors.ts";
import { networkOfChildren, openTransport } from "./client/network.ts";
import { obtainToken, readGivenToken } from "./client/obtain-token.ts";
import { makeTokenSource, type TokenSource } from "./client/token-source.ts";
import type { AgentConfig } from "./config/read-config.ts";
import { ExitError } from "./exit-error.ts";
import { type LocalContext } from "./local-context.ts";
import { register } from "./register/registration.ts";
import { openSettingsCache } from "./register/settings-cache.ts";
import { type ShutdownState, type ShutdownRequest } from "./shutdown/shutdown-state.ts";

/** Connects to the broker and registers. While jobs still run here, it keeps trying for as long as it takes. */
export async function connectToBroker(
  local: LocalContext,
  shutdown: ShutdownState,
  signal: AbortSignal,
): Promise<Connection> {
  for (;;) {
    try {
      return await connect(local, shutdown, signal);
    } catch (error) {
      const isWorthIt = error instanceof Unanswered && local.runningJobs.all().length > 0;
      if (!isWorthIt || signal.aborted) throw error;
      local.log.warn(
        { why: error.message },
        "the broker is unreachable; running jobs are still supervised",
      );
    }
  }
}

/** Obtains the token, asks the broker which runner it belongs to, and registers. */
async function connect(
  local: LocalContext,
  shutdown: ShutdownState,
  signal: AbortSignal,
): Promise<Connection> {
  const { config, log } = local;
  const giveUpAfterMs = config.startTimeout === 0 ? undefined : config.startTimeout;
  const how = { signal, giveUpAfterMs };
  const transport = openTransport(config);
  const clientOf = (tokens: TokenSource): BrokerClient =>
    makeBrokerClient({
      transport,
      tokens,
      clock: makeBrokerClock(),
      log,
      limits: { fromMs: config.retryFrom, mostMs: config.retryMost },
      requestTimeoutMs: config.requestTimeout,
      userAgent: `svc-agent/${version}`,
      onEnd: (refused) => shutdown.request(endOf(refused)),
    });
  const obtained = await obtainToken(
    config,
    (token) => clientOf(makeTokenSource(token, () => token)),
    how,
  );
  // The enrolment token is used up by now; only this process knows the runner's token.
  if (!(await local.keptState.untilKept(signal)))
    throw new Error("the agent shut down before its token was stored");
  const tokens = makeTokenSource(obtained.token, () => rereadToken(config));
  const client = clientOf(tokens);
  const runnerId = config.runner ?? obtained.runnerId ?? (await findRunnerId(client, how));
  const registering = { ...local, client, runnerId, held: () => heldHere(local) };
  const [registration, settings] = await Promise.all([
    register(registering, how),
    openSettingsCache(client, runnerId, how),
  ]);
  const networkEnv = networkOfChildren(config);
  return { client, tokens, runnerId, registration, settings, networkEnv };
}

/** Executions that run or must be resumed, and those whose results are not delivered yet. */
function heldHere({ runningJobs, results }: LocalContext): string[] {
  const running = runningJobs.all().map(({ executionId }) => executionId);
  return [...new Set([...running, ...results.list()])];
}

function endOf({ what, message }: Refused): ShutdownRequest {
  const exit = what === "unauthorized" ? "unauthorized" : "config";
  return { urgency: "stopping", exit, why: `the broker refuses this agent: ${message}` };
}

/** A token file may be changed while the agent runs; an enrolment token in it is not the runner's. */
function rereadToken(config: AgentConfig): string | undefined {
  if (config.tokenFile === undefined) return undefined;
  try {
    const given = readGivenToken(config);
    return given?.startsWith("svc_boot_") === true ? undefined : given;
  } catch {
    return undefined; // the file is being replaced: the next refusal reads it again
  }
}

type How = { readonly signal: AbortSignal; readonly giveUpAfterMs: number | undefined };

async function findRunnerId(client: BrokerClient, how: How): Promise<string> {
  const { body } = await client.call(getOwnTokenRoute, {}, { scope: "agent", ...how });
  if (body.runner_id !== null) return body.runner_id;
  throw new ExitError("config", "The token is not bound to a runner: set --runner.");
}
