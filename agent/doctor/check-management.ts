import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { AgentConfig } from "../config/read-config.ts";
import { findProgram } from "../processes/find-program.ts";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";

const run = promisify(execFile);
const patienceMs = 5_000;
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Whether `svc-agent mng` with these settings could look after the install agent of this host. */
export async function checkManagement({ config }: DoctorContext): Promise<Found> {
  if (config.mode !== "mng") return leftOut("This is no management process (mode mng).");
  if (config.sources["mng-driver"] === "default" && config.managementDir !== undefined) {
    return leftOut("Jobs are done by the programs in management-dir.");
  }
  const checks = [checkDriver, checkAgentConfig, checkReleases, checkVersionsDir, checkPowerOff];
  for (const check of checks) {
    const found = await check(config);
    if (found !== undefined) return found;
  }
  return ok(`The agent can be managed (driver ${config.mngDriver}).`);
}

type Check = (config: AgentConfig) => Promise<Found | undefined>;

const versionsDirOf = (config: AgentConfig): string =>
  path.resolve(config.mngVersionsDir ?? path.join(config.dataDir, "versions"));

const checkDriver: Check = async (config) => {
  if (config.mngDriver === "docker") return await checkDocker(config);
  return config.mngDriver === "systemd" ? await checkSystemd(config) : undefined;
};

const checkDocker: Check = async (config) => {
  const { env, mngImages, mngImageIssuer, mngImageIdentity } = config;
  try {
    await run("docker", ["version"], { env: { ...env }, timeout: patienceMs });
  } catch {
    return failed("docker version fails: its command or its daemon is missing.", "Start docker.");
  }
  if ((mngImageIssuer === undefined) !== (mngImageIdentity === undefined)) {
    const words = "mng-image-issuer and mng-image-identity are not both set: no image is run.";
    return failed(words, "Set both, or none.");
  }
  const search = env["PATH"] ?? usualPath;
  if (mngImageIssuer !== undefined && !(await findProgram("cosign", { cwd: "/", search }))) {
    return failed("cosign is not on the PATH: no image is run.", "Install cosign.");
  }
  if (mngImages !== undefined) return undefined;
  return warning("No image may be switched to.", "List repositories of images in mng-images.");
};

const checkSystemd: Check = async (config) => {
  const { mngUnit: unit, env } = config;
  const link = path.resolve(config.mngLink ?? path.join(versionsDirOf(config), "current"));
  const scope = config.mngUnitScope === "user" ? ["--user"] : [];
  const shown = await run("systemctl", [...scope, "show", unit, "--property=LoadState,ExecStart"], {
    env: { ...env },
    timeout: patienceMs,
  }).catch(() => undefined);
  if (shown === undefined)
    return failed("systemctl does not answer.", "Is this a host with systemd?");
  if (!shown.stdout.includes("LoadState=loaded")) {
    return failed(`There is no unit ${unit}.`, "Install it, or name it with mng-unit.");
  }
  const isLink = await readlink(link).then(
    () => true,
    () => false,
  );
  if (isLink && shown.stdout.includes(link)) return undefined;
  return failed(
    `${unit} does not start the agent through the symbolic link ${link}: its version cannot be switched.`,
    `Make the link to the agent's program, and set ExecStart=${link} start --config ….`,
  );
};

const checkAgentConfig: Check = async ({ mngAgentConfig: file, mngDriver }) => {
  if (mngDriver === "systemd") return undefined; // the unit says which it is
  const isRead = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (isRead) return undefined;
  return failed(
    `${file}, the settings of the install agent, cannot be read.`,
    "Set mng-agent-config.",
  );
};

const checkReleases: Check = async ({ mngReleases, mngReleaseKey }) => {
  if (mngReleases.length === 0 || mngReleaseKey !== undefined)
    return await Promise.resolve(undefined);
  const words = "mng-releases is set without mng-release-key: nothing is downloaded.";
  return failed(words, "Set the key that signs versions.");
};

const checkVersionsDir: Check = async (config) => {
  const dir = versionsDirOf(config);
  const found = await stat(dir).catch(() => undefined);
  if (found === undefined || (found.mode & 0o022) === 0) return undefined;
  return failed(
    `Others can write to ${dir}: what they put there would run as this user.`,
    `chmod go-w ${dir}`,
  );
};

const checkPowerOff: Check = async ({ mngPowerOff, mngPowerOffCommand, env }) => {
  const [program = ""] = mngPowerOffCommand;
  const search = env["PATH"] ?? usualPath;
  if (mngPowerOff === "no" || (await findProgram(program, { cwd: "/", search })) !== undefined) {
    return undefined;
  }
  return failed(
    `${program}, which powers off the host, does not exist.`,
    "Set mng-power-off-command.",
  );
};
