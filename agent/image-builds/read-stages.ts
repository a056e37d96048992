import {
  type BaseImage,
  baseImage,
  readPlatform,
  shownPlatform,
  type WantedPlatform,
} from "./base-image.ts";
import { DockerfileFault } from "./dockerfile-fault.ts";
import { expandWords } from "./expand-words.ts";
import { hasOtherMounts } from "./other-mounts.ts";
import { type Instruction, type ParsedDockerfile, parseDockerfile } from "./parse-dockerfile.ts";

/** What a Dockerfile is read for. */
export type DockerfileUse = {
  readonly target: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  /** The ids of the secrets that are given. */
  readonly secrets: readonly string[];
  readonly host: WantedPlatform;
  readonly plainHost: string | undefined;
};

/** A Dockerfile that names its images as the builder's own store does, and the images that have to be there. */
export type ReadDockerfile = {
  readonly text: string;
  readonly bases: readonly BaseImage[];
  /** Whether layers of it cannot be known again: see `hasOtherMounts`. */
  readonly hasOtherMounts: boolean;
};

type Reading = DockerfileUse & {
  readonly parsed: ParsedDockerfile;
  readonly variables: Map<string, string>;
  readonly lines: string[];
  /** The names of the stages so far; empty for one without. */
  readonly stages: string[];
  readonly bases: Map<string, BaseImage>;
};

/**
 * Reads which images a Dockerfile needs up to the stage that is wanted, and rewrites it so that each is found without a
 * registry. Throws DockerfileFault.
 */
export function readStages(text: string, use: DockerfileUse): ReadDockerfile {
  const parsed = parseDockerfile(text);
  const lines = [...parsed.lines];
  const variables = platformVariables(use.host);
  const reading: Reading = { ...use, parsed, variables, lines, stages: [], bases: new Map() };
  const last = lastStage(parsed, use.target);
  let stage = -1;
  for (const instruction of parsed.instructions) {
    const { word } = instruction;
    if (word === "FROM") stage += 1;
    if (stage > last) break;
    if (word === "FROM") readFrom(reading, instruction);
    else if (stage < 0) readGlobal(reading, instruction);
    else if (word === "COPY" || word === "ADD") readCopy(reading, instruction);
    else if (word === "RUN") readMounts(reading, instruction);
  }
  return {
    text: lines.join("\n"),
    bases: [...reading.bases.values()],
    hasOtherMounts: parsed.instructions.some(
      ({ word, rest }) => (word === "RUN" || word === "ONBUILD") && hasOtherMounts(rest),
    ),
  };
}

function platformVariables(host: WantedPlatform): Map<string, string> {
  const { os, architecture, variant } = host;
  const of = (prefix: string): [string, string][] => [
    [`${prefix}PLATFORM`, shownPlatform(host)],
    [`${prefix}OS`, os],
    [`${prefix}ARCH`, architecture],
    [`${prefix}VARIANT`, variant],
  ];
  return new Map([...of("TARGET"), ...of("BUILD")]);
}

/** The number of the stage that is wanted: the last, the one of that name, or of that number. */
function lastStage({ instructions }: ParsedDockerfile, target: string): number {
  const stages = instructions.filter(({ word }) => word === "FROM");
  if (stages.length === 0) throw new DockerfileFault("config_invalid", "it has no FROM");
  if (target === "") return stages.length - 1;
  const names = stages.map(({ rest }) => stageName(rest));
  const named = names.findLastIndex((name) => name !== "" && name === target.toLowerCase());
  if (named >= 0) return named;
  if (/^\d+$/.test(target) && Number(target) < stages.length) return Number(target);
  const known = names.filter(Boolean);
  const words = known.length === 0 ? "none of its stages has a name" : `it has ${known.join(", ")}`;
  throw new DockerfileFault("not_found", `it has no stage ${JSON.stringify(target)}: ${words}`);
}

const stageName = (rest: string): string =>
  /\sAS\s+(\S+)\s*$/i.exec(rest)?.[1]?.toLowerCase() ?? "";

/** An argument before the first stage, of which FROM may be made. */
function readGlobal(
  { variables, buildArgs, parsed }: Reading,
  { word, rest, from }: Instruction,
): void {
  if (word !== "ARG") {
    const words = `${word.slice(0, 40)} stands before the first FROM`;
    throw new DockerfileFault("config_invalid", words, from + 1);
  }
  for (const [, name = "", given] of rest.matchAll(
    /([A-Za-z_]\w*)(?:=((?:"[^"]*"|'[^']*'|\S)*))?/g,
  )) {
    const own = given === undefined ? undefined : expandWords(given, variables, parsed.escape);
    const value = buildArgs[name] ?? own;
    if (value !== undefined) variables.set(name, value);
  }
}

function readFrom(reading: Reading, { rest, from, to }: Instruction): void {
  const { variables, parsed, lines, stages } = reading;
  const words = rest.replace(/\sAS\s+\S+\s*$/i, "").split(/\s+/);
  const flags = words.filter((word) => word.startsWith("--"));
  const given = words.filter((word) => !word.startsWith("--"));
  const expand = (word: string): string => expandWords(word, variables, parsed.escape);
  const image = expand(given[0] ?? "");
  const line = from + 1;
  if (image === "" || given.length > 1) {
    const why = image === "" ? "names no image: its variables have no value" : "is not valid";
    throw new DockerfileFault("config_invalid", `FROM ${rest.slice(0, 200)} ${why}`, line);
  }
  const platform = platformIn(flags.map(expand), line);
  const name = stageName(rest);
  const isStage = stages.includes(image.toLowerCase());
  const found = isStage || image === "scratch" ? image : need(reading, { image, platform, line });
  lines.splice(
    from,
    to - from,
    `FROM ${found}${name === "" ? "" : ` AS ${name}`}`,
    ...blank(to - from - 1),
  );
  stages.push(name);
}

const blank = (count: number): string[] => Array.from({ length: count }, () => "");

function platformIn(flags: readonly string[], line: number): WantedPlatform | undefined {
  let platform: WantedPlatform | undefined;
  for (const flag of flags) {
    const [, value] = /^--platform=(.*)$/.exec(flag) ?? [];
    platform = value === undefined ? undefined : readPlatform(value);
    if (platform !== undefined) continue;
    const words = `FROM has ${flag.slice(0, 100)}: --platform=linux/amd64 is what it takes`;
    throw new DockerfileFault("config_invalid", words, line);
  }
  return platform;
}

type Wanted = Pick<BaseImage, "line"> & {
  readonly image: string;
  readonly platform: WantedPlatform | undefined;
};

function need({ bases, host, plainHost }: Reading, wanted: Wanted): string {
  const base = baseImage({ ...wanted, host, plainHost });
  if (!bases.has(base.name)) bases.set(base.name, base);
  return base.name;
}

/** `COPY --from=` names a stage, its number, or an image. */
function readCopy(reading: Reading, instruction: Instruction): void {
  const [, from] = /^(?:--\S+\s+)*?--from=(\S+)/.exec(instruction.rest) ?? [];
  if (from !== undefined) replace(reading, instruction, from);
}

/** So does `from=` in `RUN --mount=`. */
function readMounts(reading: Reading, instruction: Instruction): void {
  const [flags = ""] = /^(?:--\S+\s+)*/.exec(instruction.rest) ?? [];
  if (/--security=(?!sandbox\s)/.test(flags)) {
    const words = "RUN --security asks for rights that no build has";
    throw new DockerfileFault("config_invalid", words, instruction.from + 1);
  }
  for (const [, from = ""] of flags.matchAll(/--mount=(?:\S*,)?from=([^\s,]+)/g))
    replace(reading, instruction, from);
  readSecrets(reading, { instruction, flags });
}

const asks = /^--mount=(?:\S*,)?type=secret(?:,|$)/;

/** A secret that is required has to be given; one that is not is left out. */
function readSecrets(
  { secrets, variables, parsed, lines }: Reading,
  { instruction: { from, to }, flags }: { instruction: Instruction; flags: string },
): void {
  const mounts = flags.split(/\s+/).filter((flag) => asks.test(flag));
  for (const mount of mounts) {
    const pairs = mount.slice("--mount=".length).split(",");
    const members = new Map(
      pairs.map((pair) => {
        const [name = "", value] = pair.split("=", 2);
        return [name, value] as const;
      }),
    );
    const named = members.get("id") ?? members.get("target")?.split("/").at(-1) ?? "";
    const id = expandWords(named, variables, parsed.escape);
    const isRequired = members.has("required") && members.get("required") !== "false";
    if (!isRequired || secrets.includes(id)) continue;
    const words = `RUN requires the secret ${id.slice(0, 100) || "without an id"}, which is not given: name it in secrets of the component`;
    throw new DockerfileFault("config_invalid", words, from + 1);
  }
  if (mounts.length === 0) return;
  // buildah before 1.33 breaks at the short form.
  for (let at = from; at < to; at += 1)
    lines[at] = (lines[at] ?? "").replaceAll(/--mount=\S*/g, (mount) =>
      asks.test(mount) ? mount.replace(/,required(?=,|$)/, ",required=true") : mount,
    );
}

function replace(reading: Reading, { from, to }: Instruction, given: string): void {
  const { stages, lines, variables, parsed } = reading;
  const image = expandWords(given, variables, parsed.escape);
  const isNumber = /^\d+$/.test(image) && Number(image) < stages.length;
  if (image === "" || isNumber || stages.includes(image.toLowerCase())) return;
  const name = need(reading, { image, platform: undefined, line: from + 1 });
  const whole = new RegExp(`from=${given.replaceAll(/[^\w/-]/g, "\\$&")}(?=[\\s,]|$)`, "g");
  for (let at = from; at < to; at += 1)
    lines[at] = (lines[at] ?? "").replaceAll(whole, () => `from=${name}`);
}
