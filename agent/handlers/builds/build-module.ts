import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { type ModuleRecord, moduleRecord, type PackPart } from "../../artifacts/pack-request.ts";
import { makeJobFolders, readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import type { SourceHere } from "../../sources/fetch-source.ts";
import { findTerraform } from "../../tools/find-terraform.ts";
import { cliConfig, onlyProvidersOf, providerStore } from "../terraform/cli-config.ts";
import {
  isWell,
  runTerraform,
  type TerraformCaller,
  type TerraformCommand,
} from "../terraform/run-terraform.ts";
import { failureOfCommand } from "../terraform/terraform-failure.ts";
import { variablesIn } from "../terraform/variables-in.ts";
import { takeModules } from "../terraform/vendored.ts";
import type { BuildContext, Builder, Prepared, Proved } from "./builder.ts";
import { putAside } from "./put-aside.ts";

/** What the parts of the build of a configuration share. */
type ModuleContext = BuildContext & {
  readonly source: SourceHere;
  readonly version: string;
  readonly caller: TerraformCaller;
  readonly vendors: boolean;
  /** Where terraform keeps what it installs while the artifact is made. */
  readonly data: string;
  readonly hasLock: boolean;
};

const lockName = ".terraform.lock.hcl";

/** A configuration of terraform or OpenTofu, with its modules and, where the plan says so, its providers. */
export const buildModule: Builder = async (context) => {
  const open = await openModuleContext(context);
  const { source, vendors, hasLock, data, version, run, job } = open;
  const variables = variablesIn(source.directory);
  // Tools of some versions read them whatever they do.
  const files = { key: "variables", folder: source.directory, names: variables };
  const aside = await putAside(job, files, run.brands);
  await install(open);
  const records = await recordsIn(open);
  const own: PackPart = {
    ...plain,
    from: source.directory,
    isSource: true,
    leaveOut: [...(hasLock ? [] : [lockName]), ...aside.map(({ name }) => name)],
  };
  const given = run.plan.terraform_build_plan;
  const lock = path.join(source.directory, lockName);
  const prepared: Prepared = {
    pack: {
      parts: [own, ...installedParts(data, vendors)],
      texts: [],
      files: [
        ...(vendors && !hasLock && existsSync(lock)
          ? [{ from: lock, to: lockName, isSource: false }]
          : []),
        ...aside.map(({ name, kept }) => ({ from: kept, to: name, isSource: true })),
      ],
      modules: {
        root: source.folder,
        directory: source.directory,
        installed: path.join(data, "modules"),
        records,
      },
      templates: variables,
    },
    members: {
      tool: given?.tool ?? "terraform",
      terraform_version: given?.terraform_version || null,
      vendor_providers: vendors,
    },
    isMade: false,
    prove: async (unpacked) => await prove(open, unpacked, version),
  };
  return prepared;
};

const plain = { to: "", leaveOut: [], followsLinks: false, isSource: false };

async function openModuleContext(context: BuildContext): Promise<ModuleContext> {
  const { job, run, source, progress, env } = context;
  if (source === undefined) throw invalidPlan("the source is missing: set git_source or source");
  const given = run.plan.terraform_build_plan;
  const { program, version } = await findTerraform(job.agent.config, {
    tool: given?.tool ?? "terraform",
    version: given?.terraform_version,
    signal: job.signal,
    say: (words) => job.log(words, "info", "tool", "tool"),
  });
  const { workspace, secrets, owner } = job.directories;
  const data = path.join(workspace, "built", "data");
  await makeJobFolders([data], owner);
  const { config } = job.agent;
  const store = owner === undefined ? providerStore(config.dataDir) : undefined;
  if (store !== undefined) await mkdir(store, { recursive: true, mode: 0o700 });
  const cliFile = path.join(secrets, "terraform.rc");
  await writeJobFileOnce(cliFile, cliConfig({ store, mirror: config.providerMirror }), owner);
  // Read once, as terraform itself writes one.
  const hasLock = await job.once(
    "build/lock",
    async () => await Promise.resolve(existsSync(path.join(source.directory, lockName))),
  );
  const caller: TerraformCaller = {
    job,
    progress,
    program,
    cwd: source.directory,
    stop: { signal: "SIGINT", to: "leader", graceMs: 10_000 },
    env: {
      ...env,
      TF_IN_AUTOMATION: "1",
      TF_INPUT: "0",
      CHECKPOINT_DISABLE: "1",
      TF_DATA_DIR: data,
      TF_CLI_CONFIG_FILE: cliFile,
    },
  };
  const vendors = given?.vendor_providers === true;
  return { ...context, source, version, caller, vendors, data, hasLock };
}

/** Installs the modules, and the providers where they go into the artifact, too. */
async function install({ caller, byGit, vendors, hasLock }: ModuleContext): Promise<void> {
  const init = ["init", "-backend=false", "-input=false", "-no-color"];
  const args = vendors
    ? [...init, ...(hasLock ? ["-lockfile=readonly"] : [])]
    : ["get", "-no-color"];
  const step = vendors ? "init" : "get";
  await byGit(
    async (env) => await runWell(caller, { key: "get", step, args, output: "text", env }),
  );
}

async function runWell(caller: TerraformCaller, command: TerraformCommand): Promise<void> {
  const ran = await runTerraform(caller, command);
  if (!isWell(ran)) throw failureOfCommand(caller.job, command.step, ran);
}

const list = z.looseObject({ Modules: z.array(moduleRecord) });
const mostListBytes = 4 * 2 ** 20;

async function recordsIn({ job, data }: ModuleContext): Promise<ModuleRecord[]> {
  const file = path.join(data, "modules", "modules.json");
  const text = await readJobText(file, job.directories.owner, mostListBytes);
  return text === "" ? [] : list.parse(JSON.parse(text)).Modules;
}

function installedParts(data: string, vendors: boolean): PackPart[] {
  const [modules, providers] = ["modules", "providers"].map((name) => path.join(data, name));
  const parts: PackPart[] = [];
  if (modules !== undefined && existsSync(modules)) {
    parts.push({ ...plain, from: modules, to: ".terraform/modules", leaveOut: ["modules.json"] });
  }
  if (vendors && providers !== undefined && existsSync(providers)) {
    // Providers that the host keeps are linked there.
    parts.push({ ...plain, from: providers, to: ".terraform/providers", followsLinks: true });
  }
  return parts;
}

/** In an empty folder, with the modules of the artifact alone, and with its own providers where it has them. */
async function prove(
  { job, caller, vendors, run }: ModuleContext,
  unpacked: string,
  version: string,
): Promise<Proved> {
  const files = { key: "proved-variables", folder: unpacked, names: variablesIn(unpacked) };
  await putAside(job, files, run.brands);
  const { workspace, secrets, owner } = job.directories;
  const data = path.join(workspace, "built", "proof-data");
  await makeJobFolders([data], owner);
  await takeModules(unpacked, data, owner);
  const own = path.join(secrets, "vendored.rc");
  const providers = path.join(unpacked, ".terraform/providers");
  if (vendors) await writeJobFileOnce(own, onlyProvidersOf(providers), owner);
  const env = {
    ...caller.env,
    TF_DATA_DIR: data,
    ...(vendors && existsSync(providers) && { TF_CLI_CONFIG_FILE: own }),
  };
  const proof: TerraformCaller = { ...caller, cwd: unpacked, env };
  const hasLock = await job.once(
    "build/proof-lock",
    async () => await Promise.resolve(existsSync(path.join(unpacked, lockName))),
  );
  const args = ["init", "-backend=false", "-get=false", "-input=false", "-no-color"];
  const lock = hasLock ? ["-lockfile=readonly"] : [];
  await runWell(proof, { key: "prove", step: "init", args: [...args, ...lock], output: "text" });
  await runWell(proof, {
    key: "validate",
    step: "validate",
    args: ["validate", "-no-color"],
    output: "text",
  });
  return {
    artifactType: "application/vnd.svc.terraform-module.v1",
    config: { mediaType: "application/vnd.oci.empty.v1+json", text: "{}" },
    layer: {
      mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
      title: "module.tar.gz",
    },
    annotations: {},
    outputs: { terraform_version: version },
  };
}
