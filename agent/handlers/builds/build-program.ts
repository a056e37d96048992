import { existsSync } from "node:fs";
import path from "node:path";
import type { PackPart } from "../../artifacts/pack-request.ts";
import { readJobText } from "../../job-users/job-files.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import type { SourceHere } from "../../sources/fetch-source.ts";
import { isFault, type PulumiProject, readProjectFile } from "../pulumi/project-file.ts";
import { askNpm } from "./ask-npm.ts";
import { buildFailure } from "./build-failure.ts";
import type { BuildContext, Builder, Proved } from "./builder.ts";
import { packArtifact } from "./pack-artifact.ts";

type Install = {
  /** Puts what the program needs beside it, by its lock file, without running what of it would run. */
  readonly install: (context: BuildContext, folder: string) => Promise<void>;
  /** Throws JobFailure unless all that the program needs is in the folder. */
  readonly prove: (context: BuildContext, folder: string) => Promise<void>;
};

const runtimes: Readonly<Record<string, Install>> = {
  nodejs: { install: installNode, prove: proveNode },
  /** There is nothing to install. */
  yaml: { install: async () => {}, prove: async () => {} },
};

/** A program for Pulumi, with what it needs installed by its lock file, so that a deploy fetches nothing. */
export const buildProgram: Builder = async (context) => {
  const { job, source } = context;
  if (source === undefined) throw invalidPlan("the source is missing: set git_source or source");
  const project = await requireProject(context, source.directory);
  const runtime = runtimes[project.runtime];
  if (runtime === undefined) {
    const words = `Programs of the runtime ${project.runtime} are not built: built are ${Object.keys(runtimes).join(" and ")}.`;
    throw buildFailure(words, "config_invalid", "Pulumi.yaml");
  }
  const part: PackPart = {
    to: "",
    leaveOut: [],
    followsLinks: false,
    isSource: true,
    from: source.directory,
  };
  const nothing = { texts: [], files: [], templates: [] };
  const looked = await packArtifact(job, "look", {
    parts: [part],
    ...nothing,
    planTexts: [],
    brands: [],
  });
  requireMain(source, project);
  await runtime.install(context, source.directory);
  return {
    // Nothing is rendered in a program: templates in it are its own.
    pack: { parts: [part], ...nothing },
    members: { runtime: project.runtime },
    sourceChecksum: looked.sourceChecksum,
    isMade: false,
    prove: async (unpacked) => {
      await runtime.prove(context, unpacked);
      return provedOf(await requireProject(context, unpacked));
    },
  };
};

async function requireProject({ job }: BuildContext, directory: string): Promise<PulumiProject> {
  const read = await readProjectFile(job, directory);
  if (!isFault(read)) return read;
  const isThere = read.words.includes("is not a project file");
  throw buildFailure(read.words, isThere ? "config_invalid" : "not_found", read.file);
}

function requireMain({ directory }: SourceHere, { main }: PulumiProject): void {
  const place = path.resolve(directory, main);
  if (place !== directory && !place.startsWith(`${directory}${path.sep}`)) {
    const words = `Pulumi.yaml: the program at ${main} is outside of the directory.`;
    throw buildFailure(words, "outside", "Pulumi.yaml");
  }
  if (existsSync(place)) return;
  throw buildFailure(`Pulumi.yaml: there is no program at ${main}.`, "not_found", "Pulumi.yaml");
}

const locks = ["package-lock.json", "npm-shrinkwrap.json"];
const strangers = ["yarn.lock", "pnpm-lock.yaml", "bun.lock"];

async function installNode(context: BuildContext, folder: string): Promise<void> {
  const has = (name: string): boolean => existsSync(path.join(folder, name));
  if (!has("package.json")) {
    throw buildFailure("The program has no package.json.", "not_found", "package.json");
  }
  if (!locks.some(has)) {
    const other = strangers.find(has);
    const advice = other === undefined ? "" : ` ${other} is of another tool than npm.`;
    const words = `The program has no package-lock.json, so nobody knows what to install.${advice} Make one with npm install, and commit it.`;
    throw buildFailure(words, "not_found", "package-lock.json");
  }
  await requirePlain(context, folder);
  await askNpm(context, {
    key: "install",
    args: ["ci", "--ignore-scripts", "--install-links"],
    cwd: folder,
    doing: "What the program needs cannot be installed",
  });
}

const mostLockBytes = 64 * 2 ** 20;
const mostSettingsBytes = 2 ** 20;

/**
 * Refuses what has npm run programs of the project, though it runs no scripts: packages out of git are made by an npm of their
 * own, which has settings of theirs, and settings can name options of Node and read the environment.
 */
async function requirePlain({ job }: BuildContext, folder: string): Promise<void> {
  const read = async (name: string, most: number): Promise<string> =>
    await readJobText(path.join(folder, name), job.directories.owner, most);
  for (const name of locks) {
    const [, entry] = fromGit.exec(await read(name, mostLockBytes)) ?? [];
    if (entry === undefined) continue;
    const words = `${name}: ${entry.slice(0, 200)} comes out of git. A build installs packages of registries and archives only: publish it, or put it beside the program.`;
    throw buildFailure(words, "config_invalid", name);
  }
  const [setting] = dangerous.exec(await read(".npmrc", mostSettingsBytes)) ?? [];
  if (setting === undefined) return;
  const words = `.npmrc: ${setting.trim()} is not taken by a build: leave it out.`;
  throw buildFailure(words, "config_invalid", ".npmrc");
}

const fromGit =
  /"(?:resolved|version|from)"\s*:\s*"((?:git(?:\+[a-z]+)?:|github:|gitlab:|bitbucket:|gist:)[^"]*)"/;
const dangerous = /^[ \t]*node[-_]options\b|\$\{/im;

async function proveNode(context: BuildContext, folder: string): Promise<void> {
  await askNpm(context, {
    key: "prove",
    args: ["ls", "--all", "--parseable", "--offline"],
    cwd: folder,
    // What was copied from beside the directory is where it is not by the lock file.
    isNone: (complaint) => complaint.includes("ELSPROBLEMS") && !complaint.includes("missing:"),
    doing: "The artifact has not all that the program needs",
  });
}

function provedOf({ name, runtime }: PulumiProject): Proved {
  return {
    artifactType: "application/vnd.svc.pulumi-program.v1",
    config: { mediaType: "application/vnd.oci.empty.v1+json", text: "{}" },
    layer: { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", title: "program.tar.gz" },
    annotations: {},
    outputs: { project: name, runtime },
  };
}
