import { existsSync } from "node:fs";
import { version } from "../../shared/version.ts";
import type { CliConfig } from "../config.ts";
import type { DevFile } from "../dev-file.ts";
import type { Screen } from "../screen.ts";

export type DevPlace = {
  readonly dev: DevFile;
  readonly dataDir: string;
  readonly logFile: string;
  /** Where the local agent's log is; undefined when none runs. */
  readonly agentLogFile: string | undefined;
  readonly config: CliConfig;
};

/** Tells a person where everything is. */
export function showDev(screen: Screen, place: DevPlace): void {
  const { dev, dataDir, logFile, agentLogFile, config } = place;
  screen.out(
    [
      "",
      `svc ${version} is ready at ${dev.url} (its API: ${dev.url}/docs)`,
      "",
      `  org           ${dev.org_id}`,
      `  runner        ${dev.runner_id}`,
      `  admin token   ${dev.admin_token}`,
      `  runner token  ${dev.runner_token}`,
      `  data          ${config.databaseUrl === undefined ? dataDir : "in DATABASE_URL"}`,
      `  log           ${logFile}`,
      ...(agentLogFile === undefined ? [] : [`  agent's log   ${agentLogFile}`]),
    ].join("\n"),
  );
}

/** Tells a person what to try next. */
export function showNextSteps(screen: Screen, place: DevPlace): void {
  const { dev, dataDir, config, agentLogFile } = place;
  const svc = `${prefixOf(dataDir, config)}npx svc`;
  const job =
    agentLogFile === undefined
      ? `job create --runner ${dev.runner_id} --type noop`
      : `job run --runner ${dev.runner_id} -- uname -a`;
  screen.out(
    [
      "",
      "Try next, in another terminal, in this folder:",
      "",
      `  ${svc} ${job}`,
      `  ${svc} job list`,
      `  ${svc} runner get ${dev.runner_id}`,
      "",
      "Ctrl-C stops it; the next start finds everything again.",
    ].join("\n"),
  );
}

/** Commands find this project's own data directory by themselves, unless a saved profile comes before it. */
function prefixOf(dataDir: string, config: CliConfig): string {
  const isFound = dataDir === config.dataDir && (config.isDataDirTold || !hasProfile(config));
  if (isFound && !config.isDataDirTold) return "";
  return `SVC_DATA_DIR=${quoted(dataDir)} `;
}

const hasProfile = ({ profileFile }: CliConfig): boolean => existsSync(profileFile);

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
