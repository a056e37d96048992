import { invalidPlan } from "../../jobs/job-failure.ts";
import type { BuildRun } from "./build-run.ts";

/** What a plan says of an image, read. */
export type ImagePlan = {
  readonly context: string;
  readonly dockerfile: string;
  readonly target: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  /** What `RUN --mount=type=secret` may have, by id; in no digest, layer, provenance and argument. */
  readonly secrets: Readonly<Record<string, string>>;
  /** By which layers of builds of the same are known; empty where none are kept. */
  readonly cacheKey: string;
  /** Begins with none of them, and keeps its own all the same. */
  readonly noCache: boolean;
};

/** Reads what the plan of a docker-build says of the image. Throws JobFailure. */
export function readImagePlan({ plan }: BuildRun): ImagePlan {
  const given = plan.docker_build_plan ?? {};
  const dockerfile = given.dockerfile || "Dockerfile";
  const name = "docker_build_plan";
  for (const [member, value] of Object.entries({ dockerfile, context: given.context ?? "" })) {
    if (value.startsWith("/"))
      throw invalidPlan(`${name}.${member} must be a path in the source, not an absolute one`);
  }
  const target = given.target ?? "";
  if (!/^[\w.-]*$/.test(target)) throw invalidPlan(`${name}.target is not the name of a stage`);
  const buildArgs = given.build_args ?? {};
  for (const [key, value] of Object.entries(buildArgs)) {
    const isGood = /^[A-Za-z_]\w*$/.test(key) && !value.includes("\0") && value.length <= mostArg;
    if (!isGood)
      throw invalidPlan(
        `${name}.build_args has a name or a value that is not valid, or over 64 KiB`,
      );
  }
  const secrets = secretsIn(given.secrets ?? {}, `${name}.secrets`);
  const cacheKey = given.cache_key ?? "";
  if (!/^(?:[0-9a-f]{64})?$/.test(cacheKey))
    throw invalidPlan(`${name}.cache_key is not 64 hexadecimal digits`);
  return {
    context: given.context ?? "",
    dockerfile,
    target,
    buildArgs,
    secrets,
    cacheKey,
    noCache: given.no_cache === true,
  };
}

const mostArg = 64 * 2 ** 10;
/** Of all together: they are in a program's environment. */
const mostSecrets = 512 * 2 ** 10;

function secretsIn(given: ImagePlan["secrets"], name: string): ImagePlan["secrets"] {
  const all = Object.entries(given);
  if (all.some(([id, value]) => !/^[A-Za-z_][\w.-]{0,62}$/.test(id) || value.includes("\0")))
    throw invalidPlan(`${name} has a name that is not valid, or a value with a zero byte`);
  const tooLarge = all.some(([, value]) => Buffer.byteLength(value) > mostArg);
  const bytes = all.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  if (tooLarge || bytes > mostSecrets)
    throw invalidPlan(`${name} has a value over 64 KiB, or over 512 KiB altogether`);
  return given;
}

/** The members that decide what is in the image; sorted, so that an order is no difference. */
export function imageMembers({ context, dockerfile, target, buildArgs }: ImagePlan) {
  const names = Object.keys(buildArgs).toSorted();
  return {
    context: context || ".",
    dockerfile,
    target: target || null,
    build_args: Object.fromEntries(names.map((name) => [name, buildArgs[name] ?? ""])),
  };
}
