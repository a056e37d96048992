import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import { compareVersions, isVersion } from "../../shared/compare-versions.ts";
import { version as ownVersion } from "../../shared/version.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ownProgram } from "../paths/own-program.ts";
import { installRelease } from "../tools/install-release.ts";
import { type PublicKey, readPublicKeys } from "../tools/openpgp/public-keys.ts";
import { type ToolClass, ToolFault } from "../tools/tool-fault.ts";
import { type Preparation, Refusal } from "./driver.ts";
import { CommandFault, runCommand } from "./run-command.ts";

/** The versions of the agent on this host, a folder each. */
export type Versions = {
  readonly dir: string;
  /** The command of a version, without arguments; the empty one is this program's own. Undefined if it is not there. */
  readonly commandOf: (version: string) => Promise<readonly string[] | undefined>;
  /**
   * Makes it ready: it is there, or is downloaded and verified, starts, and says that it is this version. `before` is what
   * stands before the program when it is started, where that is not this process's own choice.
   */
  readonly prepare: (
    version: string,
    how: Preparation,
    before?: readonly string[],
  ) => Promise<string>;
};

type VersionsConfig = Pick<
  AgentConfig,
  | "dataDir"
  | "mngVersionsDir"
  | "mngReleases"
  | "mngReleaseKey"
  | "mngOldestVersion"
  | "caFile"
  | "env"
>;

const downloadWithinMs = 20 * 60_000;
const answerWithinMs = 30_000;
/** What another download would not change; anything else may pass. */
const verdicts: readonly ToolClass[] = ["digest", "signature", "too_large"];

/** Opens the folder of versions of these settings. */
export function openVersions(config: VersionsConfig): Versions {
  const dir = path.resolve(config.mngVersionsDir ?? path.join(config.dataDir, "versions"));

  async function commandOf(version: string): Promise<readonly string[] | undefined> {
    if (version === "") return await ownProgram();
    if (!isVersion(version)) return undefined;
    const script = path.join(dir, version, "svc-agent.mjs");
    if (existsSync(script)) return [process.execPath, script];
    const program = path.join(dir, version, "svc-agent");
    if (existsSync(program)) return [program];
    return version === ownVersion ? await ownProgram() : undefined;
  }

  const prepare: Versions["prepare"] = async (version, how, before) => {
    refuseVersion(version, config.mngOldestVersion);
    const isThere = (await commandOf(version)) !== undefined;
    if (!isThere) await download({ config, dir, version }, how);
    const own = (await commandOf(version)) ?? [];
    const command = before === undefined ? own : [...before, ...own.slice(-1)];
    try {
      const reported = await reportedVersion(command, version, config.env);
      if (reported === version) return version;
      throw new Refusal(`What is called version ${version} reports that it is ${reported}.`);
    } catch (error) {
      if (!isThere) await rm(path.join(dir, version), { recursive: true, force: true });
      throw error;
    }
  };

  return { dir, commandOf, prepare };
}

type Wish = {
  readonly config: VersionsConfig;
  readonly dir: string;
  readonly version: string;
};

/** Downloads a version into its folder, verified; or leaves nothing there. */
async function download(
  { config, dir, version }: Wish,
  { settings, signal, say }: Preparation,
): Promise<void> {
  const base = releasesOf(config.mngReleases, settings);
  const folder = path.join(dir, version);
  if (base === undefined) {
    throw new Refusal(`Version ${version} is not in ${dir}, and mng-releases is off.`);
  }
  say(`Downloading version ${version} from ${base}.`);
  const name = `svc-agent_${version}`;
  const release = {
    program: "svc-agent.mjs",
    address: `${base}/${version}`,
    archive: `${name}.zip`,
    sums: `${name}_SHA256SUMS`,
    signature: `${name}_SHA256SUMS.sig`,
    keys: readKeys(config.mngReleaseKey),
  };
  await mkdir(folder, { recursive: true, mode: 0o755 });
  // Jobs of other users run the program, too.
  for (const one of [dir, folder]) await chmod(one, 0o755);
  const within = AbortSignal.any([signal, AbortSignal.timeout(downloadWithinMs)]);
  try {
    await installRelease(
      { ...config, signal: within },
      release,
      path.join(folder, "svc-agent.mjs"),
    );
  } catch (error) {
    await rmdir(folder).catch(() => undefined); // somebody has put a version there meanwhile
    const words = `Version ${version} could not be downloaded`;
    if (!(error instanceof ToolFault)) {
      throw within.aborted ? new Error(`${words} in time`, { cause: error }) : error;
    }
    if (verdicts.includes(error.class)) throw new Refusal(`${words}: ${error.message}.`);
    throw new Error(`${words}: ${error.message}`, { cause: error });
  }
}

/** Names of folders come from plans and settings: nothing but a version is one. */
function refuseVersion(version: string, oldest: string | undefined): void {
  if (!isVersion(version)) {
    throw new Refusal("The target is not a version like 1.4.0.");
  }
  if (oldest !== undefined && compareVersions(version, oldest) < 0) {
    throw new Refusal(`Version ${version} is older than mng-oldest-version, ${oldest}.`);
  }
}

/** Where versions are downloaded: the settings may choose among the places that the owner of the host allows. */
function releasesOf(
  allowed: readonly string[],
  settings: RunnerSettings | undefined,
): string | undefined {
  const asked = settings?.runner_binary_url.replace(/\/+$/, "") ?? "";
  if (asked === "") return allowed[0];
  if (allowed.includes(asked)) return asked;
  throw new Refusal(
    `runner_binary_url of the runner's settings is ${asked}, which is not among mng-releases of this host.`,
  );
}

function readKeys(file: string | undefined): readonly PublicKey[] {
  if (file === undefined) {
    throw new Refusal(
      "Nothing is downloaded without mng-release-key, the key that signs versions.",
    );
  }
  try {
    return readPublicKeys(readFileSync(file));
  } catch (error) {
    const words = `mng-release-key, the file ${file}, has no key that can be read`;
    throw new Error(words, { cause: error });
  }
}

/** The version that a program says it is. Throws Refusal when it does not start. */
async function reportedVersion(
  [program = "", ...args]: readonly string[],
  version: string,
  env: AgentConfig["env"],
): Promise<string> {
  const fault = `The program of version ${version} does not start here`;
  const how = { env, timeout: answerWithinMs };
  const text = await runCommand(program, [...args, "version", "--json"], how).catch(
    (error: unknown) => {
      const isFinal = error instanceof CommandFault && error.isOfProgram;
      throw isFinal ? new Refusal(`${fault}: ${error.message}.`) : error;
    },
  );
  const said = saidSchema.safeParse(text);
  if (!said.success) throw new Refusal(`${fault}: it does not say its version.`);
  return said.data.version;
}

const saidSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(z.looseObject({ version: z.string() }));
