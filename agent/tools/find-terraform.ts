import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import type { AgentConfig } from "../config/read-config.ts";
import { JobFailure, invalidPlan } from "../jobs/job-failure.ts";
import { findProgram } from "../processes/find-program.ts";
import { withHostLock } from "./host-lock.ts";
import { installRelease, type Release } from "./install-release.ts";
import { type PublicKey, readPublicKeys } from "./openpgp/public-keys.ts";
import { programVersion } from "./program-version.ts";
import { releaseKeys } from "./release-keys.ts";
import { makeSharedWork } from "./shared-work.ts";
import { ToolFault } from "./tool-fault.ts";

export type TerraformTool = "terraform" | "opentofu";

/** A program for jobs, and the version that it reports. */
export type FoundTool = { readonly program: string; readonly version: string };

type Wish = {
  readonly tool: TerraformTool;
  /** The wanted version; by default the one on the PATH. */
  readonly version?: string | null | undefined;
  /** Called before a download starts. */
  readonly say: (words: string) => void;
  /** Aborts when the caller no longer needs it. */
  readonly signal: AbortSignal;
};

const programs = { terraform: "terraform", opentofu: "tofu" } as const;
const machines: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?$/;

/**
 * Finds Terraform or OpenTofu in the wanted version: on the PATH, in `tools-dir`, or on the release server, from which
 * it is downloaded once and verified. Throws JobFailure that says why it is not available.
 */
export async function findTerraform(config: AgentConfig, wish: Wish): Promise<FoundTool> {
  const version = wish.version?.replace(/^v/, "") ?? "";
  if (version !== "" && !exact.test(version)) {
    throw invalidPlan(`the version ${version} of ${wish.tool} is invalid: use one like 1.9.8`);
  }
  const search = config.env["PATH"] ?? "";
  const onPath = await findProgram(programs[wish.tool], { cwd: "/", search });
  const found = onPath === undefined ? "" : await programVersion(onPath, search);
  if (onPath !== undefined && found !== "" && (version === "" || found === version)) {
    return { program: onPath, version: found };
  }
  if (version === "") {
    const words = `${wish.tool} is not on the agent's PATH, and the plan does not set a version`;
    throw missing(new ToolFault("not_installed", words));
  }
  try {
    return { program: await keptProgram(config, wish, version), version };
  } catch (error) {
    const told = faultOf(error, wish.signal);
    if (told === undefined) throw error;
    const words = `${wish.tool} ${version} is not available: ${told.message}`;
    throw missing(new ToolFault(told.class, words));
  }
}

/** Why it is not available; undefined for unrelated errors. */
function faultOf(error: unknown, signal: AbortSignal): ToolFault | undefined {
  if (error instanceof ToolFault) return error;
  if (signal.aborted) return new ToolFault("stopped", "the job was stopped");
  const isLate = error instanceof Error && error.name === "TimeoutError";
  const words = `the download took more than ${longestMs / 60_000} minutes`;
  return isLate ? new ToolFault("network", words) : undefined;
}

const longestMs = 20 * 60_000;
/** Installations in progress in this process. */
const install = makeSharedWork(longestMs);

async function keptProgram(config: AgentConfig, wish: Wish, version: string): Promise<string> {
  const { tool, say } = wish;
  const folder = path.join(config.toolsDir, tool, version);
  const place = path.join(folder, programs[tool]);
  if (existsSync(place)) return place;
  const address = tool === "terraform" ? config.terraformReleases : config.opentofuReleases;
  if (address === "off") {
    const words = `it is neither on the PATH nor in ${place}, and downloads are disabled (${tool}-releases is off)`;
    throw new ToolFault("not_installed", words);
  }
  say(`Downloading ${tool} ${version} from ${address}.`);
  await install(place, wish.signal, async (signal) => {
    for (const part of [config.toolsDir, path.dirname(folder), folder]) {
      await mkdir(part, { recursive: true });
      await chmod(part, 0o755).catch(() => {}); // a directory of the operator keeps its mode
    }
    const lock = path.join(folder, ".lock");
    await withHostLock(lock, signal, async () => {
      if (existsSync(place)) return;
      const release = releaseOf(config, tool, { version, address });
      await installRelease({ ...config, signal }, release, place);
    });
  });
  return place;
}

function releaseOf(
  config: AgentConfig,
  tool: TerraformTool,
  { version, address }: { readonly version: string; readonly address: string },
): Release {
  const machine = machines[process.arch];
  if (machine === undefined) {
    throw new ToolFault("not_found", `there are no releases for ${process.arch}`);
  }
  const program = programs[tool];
  const isTerraform = tool === "terraform";
  return {
    program,
    address: `${address}/${isTerraform ? version : `v${version}`}`,
    archive: `${program}_${version}_${process.platform}_${machine}.zip`,
    sums: `${program}_${version}_SHA256SUMS`,
    signature: `${program}_${version}_SHA256SUMS${isTerraform ? ".sig" : ".gpgsig"}`,
    keys: keysOf(tool, isTerraform ? config.terraformKey : config.opentofuKey),
  };
}

function keysOf(tool: TerraformTool, file: string | undefined): PublicKey[] {
  if (file === undefined) return readPublicKeys(releaseKeys[tool]);
  try {
    return readPublicKeys(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ToolFault(
      "signature",
      `${tool}-key, the file ${file}, cannot be read (${code ?? "no key"})`,
    );
  }
}

function missing({ message, class: kind }: ToolFault): JobFailure {
  const words = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return new JobFailure(words, { reason: "tool_missing", code: 127, metadata: { class: kind } });
}
