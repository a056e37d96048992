import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readJobText } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { readYaml } from "../../kubernetes/read-yaml.ts";

/** What a directory says of the program in it. */
export type PulumiProject = {
  readonly name: string;
  readonly runtime: string;
  /** Where the program is within the directory; empty: at its top. */
  readonly main: string;
};

/** Why a directory has no program that can be used: a sentence, and the file to blame. */
export type ProjectFault = { readonly words: string; readonly file: string };

const runtime = z.union([z.string(), z.looseObject({ name: z.string() })]);
const projectSchema = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/),
  runtime,
  main: z.string().nullish(),
});
const mostBytes = 2 ** 20;

/** Reads Pulumi.yaml; answers why it is none that can be used. */
export async function readProjectFile(
  { directories: { owner } }: Job,
  directory: string,
): Promise<PulumiProject | ProjectFault> {
  const file = ["Pulumi.yaml", "Pulumi.yml"].find((name) => existsSync(path.join(directory, name)));
  if (file === undefined) {
    return { words: "The directory has no Pulumi.yaml, so it is no program.", file: "Pulumi.yaml" };
  }
  const text = await readJobText(path.join(directory, file), owner, mostBytes);
  const [document] = await readYaml(text).catch(() => []);
  const { data, error } = projectSchema.safeParse(document?.value);
  if (data === undefined) {
    const at = error.issues[0]?.path[0];
    const words = typeof at === "string" ? `Its ${at} is missing or not valid.` : "It is not YAML.";
    return { words: `${file} is not a project file: ${words}`, file };
  }
  return {
    name: data.name,
    runtime: typeof data.runtime === "string" ? data.runtime : data.runtime.name,
    main: data.main ?? "",
  };
}

/** Whether it is a fault. */
export const isFault = (read: PulumiProject | ProjectFault): read is ProjectFault =>
  "words" in read;
