import { invalidPlan } from "../../jobs/job-failure.ts";
import type { BuildRun } from "./build-run.ts";

/** What a plan says of an image, read. */
export type ImagePlan = {
  readonly context: string;
  readonly dockerfile: string;
  readonly target: string;
  readonly buildArgs: Readonly<Record<string, string>>;
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
  return { context: given.context ?? "", dockerfile, target, buildArgs };
}

const mostArg = 64 * 2 ** 10;

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
