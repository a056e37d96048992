import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../../broker/config.ts";
import { eraseEmbeddedPostgres, startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { startBroker } from "../../broker/start-broker.ts";
import { callRoute } from "../../shared/api/call-route.ts";
import { createSignInLinkRoute } from "../../shared/api/create-sign-in-link.ts";
import { OperatorError } from "../../shared/operator-error.ts";
import type { CliConfig } from "../config.ts";
import { type DevFile, removeDevFile } from "../connection/dev-file.ts";
import { type DevRegistry, startDevRegistry } from "../dev-registry/start-dev-registry.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";
import { awaitReady } from "./await-ready.ts";
import { type DevAgent, startDevAgent } from "./dev-agent.ts";
import { openDevLog } from "./dev-log.ts";
import { devSealKeys } from "./dev-seal-keys.ts";
import { type Ending, endInTurn } from "./end-in-turn.ts";
import { prepareDev } from "./prepare-dev.ts";
import { showAJob } from "./show-a-job.ts";
import { showDev, showNextSteps } from "./show-dev.ts";
import { type StopSignal, watchStopSignal } from "./stop-signal.ts";

export type DevOptions = {
  /** SVC_PORT or 8420, unless told. */
  readonly port: number | undefined;
  readonly dataDir: string;
  readonly isReset: boolean;
  readonly isJson: boolean;
  /** Beside the broker runs an agent of the runner. */
  readonly hasAgent: boolean;
  readonly config: CliConfig;
  readonly screen: Screen;
};

/** How long each may take to end, and what it spares those after it: the broker's log and Postgres, which come last. */
const agentEnd = { mostMs: 3_000, sparesMs: 1_700 };
const registryEnd = { mostMs: 300, sparesMs: 1_000 };
const brokerEnd = { mostMs: 1_500, sparesMs: 1_200 };
const logEnd = { mostMs: 1_000, sparesMs: 1_000 };
const databaseEnd = { mostMs: 5_000, sparesMs: 0 };
const leaveMs = 200;

/** Runs until a signal comes; answers the exit code when everything it started has ended. */
export async function startDev(options: DevOptions): Promise<number> {
  const stopSignal = watchStopSignal();
  const endings: Ending[] = [];
  try {
    await start(options, stopSignal, endings).catch((error: unknown) => {
      throw withAdvice(error);
    });
    await stopSignal.arrival;
    if (!options.isJson) options.screen.say("Stopping. All data is kept.");
    return exitCodes.ok.code;
  } finally {
    await endInTurn(endings, stopSignal.deadlineMs() - leaveMs);
    // A request that was given up may still hold the process; its exit code is set by then.
    setTimeout(() => process.exit(), leaveMs).unref();
  }
}

async function start(options: DevOptions, stop: StopSignal, endings: Ending[]): Promise<void> {
  const { dataDir, config, screen, isJson } = options;
  const databaseUrl = config.databaseUrl ?? (await startDatabase(options, endings));
  if (stop.hasArrived()) return;
  await migrate(databaseUrl);
  if (stop.hasArrived()) return;
  const registry = await startRegistry(options, endings);
  const settings = readConfig({
    SVC_DRAIN_LINGER_MS: "0",
    SVC_SEAL_KEYS: `file:${await devSealKeys(dataDir)}`,
    ...config.env,
    ...(registry && { SVC_REGISTRY: `http://${registry.host}`, SVC_REGISTRY_AUTH: "token" }),
    SVC_EGRESS: config.env["SVC_EGRESS"] || "internal", // who develops calls receivers on this machine
    DATABASE_URL: databaseUrl,
    ...(options.port !== undefined && { SVC_PORT: String(options.port) }),
  });
  const log = await openDevLog({ level: settings.logLevel, dataDir, say: screen.say });
  endings.push({ end: log.close, ...logEnd });
  const running = await startBroker(settings, log.log);
  registry?.trust(running.url);
  // A request that hangs must not hold up Ctrl-C: whatever it was, it is undone or done as a whole.
  const stopBroker = async (withinMs: number) =>
    await Promise.race([running.stop(), sleep(withinMs)]);
  endings.push({ end: stopBroker, ...brokerEnd });
  if (stop.hasArrived()) return;
  await awaitReady(running.broker.health);
  const { dev, isFirst } = await prepareDev(running.broker.db, running.url, dataDir);
  const agent = await startAgents(options, dev, endings);
  if (isJson) {
    screen.out(JSON.stringify(dev));
    return;
  }
  const place = {
    dev,
    dataDir,
    logFile: log.file,
    agentLogFile: agent?.logFile,
    registry: registry?.host,
    config,
  };
  const admin = { url: dev.url, token: dev.admin_token };
  const link = await callRoute(admin, createSignInLinkRoute, {});
  showDev(screen, place, link.body.path);
  // It is there to be seen; a broker that cannot do it is for the reader to look into, not to be taken away.
  if (isFirst && agent !== undefined) {
    const shown = showAJob(dev, screen).catch((error: unknown) => {
      screen.say(`The first job did not finish: ${error instanceof Error ? error.message : ""}`);
    });
    await Promise.race([shown, stop.arrival]);
    if (stop.hasArrived()) return;
  }
  await showNextSteps(screen, place);
}

/** Where builds push what they make, unless another registry is named. */
async function startRegistry(
  { dataDir, config, port = readPort(config.env["SVC_PORT"]) }: DevOptions,
  endings: Ending[],
): Promise<DevRegistry | undefined> {
  if (config.env["SVC_REGISTRY"]) return undefined;
  const folder = path.join(dataDir, registryFolder);
  const registry = await startDevRegistry({ folder, port: port === 0 ? 0 : port + 1 });
  const end = async (withinMs: number) => await Promise.race([registry.stop(), sleep(withinMs)]);
  endings.push({ end, ...registryEnd });
  return registry;
}

const registryFolder = "registry";

/** What is no port is refused when the settings are read. */
const readPort = (text: string | undefined): number => {
  const port = Number(text || "8420");
  return Number.isInteger(port) && port > 0 && port < 65_535 ? port : 0;
};

/** The runner's, which is answered, and that of the org's own, which builds. */
async function startAgents(
  { hasAgent, dataDir, config, screen }: DevOptions,
  dev: DevFile,
  endings: Ending[],
): Promise<DevAgent | undefined> {
  if (!hasAgent) return undefined;
  const common = { url: dev.url, dataDir, config, say: screen.say };
  const [agent, builder] = await Promise.all([
    startDevAgent({
      ...common,
      name: "agent",
      mode: "install",
      runner: { id: dev.runner_id, token: dev.runner_token },
    }),
    startDevAgent({
      ...common,
      name: "agent-builds",
      mode: "org",
      runner: { id: dev.builds_runner_id, token: dev.builds_runner_token },
    }),
  ]);
  const stop = async (withinMs: number) =>
    void (await Promise.all([agent.stop(withinMs), builder.stop(withinMs)]));
  endings.push({ end: stop, ...agentEnd });
  return agent;
}

async function startDatabase(
  { dataDir, isReset, isJson, screen }: DevOptions,
  endings: Ending[],
): Promise<string> {
  if (isReset) {
    await eraseEmbeddedPostgres(dataDir);
    await removeDevFile(dataDir);
    await rm(path.join(dataDir, registryFolder), { recursive: true, force: true });
  }
  if (!isJson) screen.say("Starting Postgres …");
  const database = await startEmbeddedPostgres({ dataDir });
  endings.push({ end: database.stop, ...databaseEnd });
  return database.url;
}

/** The two ways in which a start is in the way of another, with the flag that helps. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { message } = error;
  if (message.startsWith("Port ")) {
    return new OperatorError(`${message} Stop that one, or choose another port with --port.`);
  }
  if (message.includes("is in use by process")) {
    return new OperatorError(message.replace(/directory\.$/, "directory with --data-dir."));
  }
  return error;
}
