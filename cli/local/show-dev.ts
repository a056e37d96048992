import { existsSync } from "node:fs";
import { hostKubeconfig } from "../../agent/kubernetes/host-kubeconfig.ts";
import { findProgram } from "../../agent/processes/find-program.ts";
import { version } from "../../shared/version.ts";
import type { CliConfig } from "../config.ts";
import type { DevFile } from "../connection/dev-file.ts";
import { devName, readProfiles } from "../connection/profile.ts";
import { quoted } from "../output/quoted.ts";
import type { Screen } from "../output/screen.ts";

export type DevPlace = {
  readonly dev: DevFile;
  readonly dataDir: string;
  readonly logFile: string;
  /** Where the local agent's log is; undefined when none runs. */
  readonly agentLogFile: string | undefined;
  /** The host of the registry that was started, too. */
  readonly registry: string | undefined;
  readonly config: CliConfig;
};

/** Tells a person where everything is. */
export function showDev(screen: Screen, place: DevPlace, signInPath: string): void {
  const { dev, dataDir, logFile, agentLogFile, registry, config } = place;
  screen.out(
    [
      "",
      `svc ${version} is ready at ${dev.url} (its API: ${dev.url}/docs)`,
      "",
      `  dashboard     ${dev.url}${signInPath}`,
      `                (this link signs you in once; ${config.launchedAs} dashboard prints another)`,
      `  org           ${dev.org_id}`,
      `  runner        ${dev.runner_id}`,
      `  admin token   ${dev.admin_token}`,
      `  runner token  ${dev.runner_token}`,
      ...(registry === undefined ? [] : [`  registry      ${registry}`]),
      `  data          ${config.databaseUrl === undefined ? dataDir : "in DATABASE_URL"}`,
      `  log           ${logFile}`,
      ...(agentLogFile === undefined ? [] : [`  agent's log   ${agentLogFile}`]),
    ].join("\n"),
  );
}

/** Tells a person what to try next; terraform, manifests and helm where there is what they need. */
export async function showNextSteps(screen: Screen, place: DevPlace): Promise<void> {
  const { dev, dataDir, config, agentLogFile } = place;
  const svc = `${await prefixOf(dataDir, config)}${config.launchedAs}`;
  const hasTerraform = await has(config, "terraform");
  const job = agentLogFile === undefined ? "job create --type noop" : "job run -- uname -a";
  screen.out(
    [
      "",
      "Try next, in another terminal, in this folder:",
      "",
      `  ${svc} ${job}`,
      ...(agentLogFile === undefined ? [] : await deploysOf(config, hasTerraform)).map(
        (command) => `  ${svc} ${command}`,
      ),
      `  ${svc} job list`,
      `  ${svc} runner get`,
      ...(agentLogFile === undefined ? [] : tour(svc, dev.runner_id, hasTerraform)),
      "",
      "Ctrl-C stops it. All data is kept for the next start.",
    ].join("\n"),
  );
}

/**
 * An app, an install of it on the local runner, and a run that somebody approves, with its events as signed webhooks; with terraform the app has
 * a component, which is built and deployed.
 */
const tour = (svc: string, runnerId: string, hasTerraform: boolean): string[] => [
  "",
  "Then deliver an app to a customer, and follow its events:",
  "",
  `  ${svc} app sync examples/${hasTerraform ? "shop" : "app"}`,
  `  ${svc} install create acme --app ${hasTerraform ? "shop" : "greeter"} --input audience=world --runner ${runnerId}`,
  `  ${svc} webhook listen &`,
  ...(hasTerraform
    ? [`  ${svc} workflow approve --wait`, `  ${svc} install outputs acme greeting`]
    : []),
  `  ${svc} action run acme greet --no-wait`,
  `  ${svc} workflow approve`,
  ...(hasTerraform
    ? []
    : [
        "",
        "With terraform on the PATH a component is deployed, too: install it, and start again.",
      ]),
];

/** What the agent can deploy from here: it has the same PATH and the same kubeconfig. */
async function deploysOf(config: CliConfig, hasTerraform: boolean): Promise<string[]> {
  const { env } = config;
  const hasCluster = hostKubeconfig(env).split(":").some(existsSync);
  return [
    ...(hasTerraform ? ["terraform apply examples/terraform-hello"] : []),
    ...(hasCluster ? ["manifest diff examples/manifest-hello"] : []),
    ...(hasCluster && (await has(config, "helm")) ? ["helm diff hello examples/helm-hello"] : []),
  ];
}

/** Commands find this project's own data directory by themselves, unless a profile comes before it. */
async function prefixOf(dataDir: string, config: CliConfig): Promise<string> {
  const { current = devName } = await readProfiles(config.profileFile);
  const isUsed = (config.profile ?? current) === devName;
  const isFound = dataDir === config.dataDir && (config.isDataDirTold || isUsed);
  if (isFound && !config.isDataDirTold) return "";
  return `SVC_DATA_DIR=${quoted(dataDir)} `;
}

const has = async ({ env }: CliConfig, program: string): Promise<boolean> =>
  (await findProgram(program, { cwd: "/", search: env["PATH"] ?? "" })) !== undefined;
