import path from "node:path";
import { z } from "zod";
import { parseKubeconfig, type ReadKubeconfig, readKubeconfig } from "./read-kubeconfig.ts";

const named = z.array(z.looseObject({ name: z.string() })).nullish();
const part = z.looseObject({
  "current-context": z.string().nullish(),
  clusters: named,
  users: named,
  contexts: named,
});
type Part = z.infer<typeof part>;
const lists = ["clusters", "users", "contexts"] as const;

/**
 * Reads the current context of several kubeconfigs, separated by colons; they are merged as kubectl does, the first
 * one counts. Relative file names are made absolute. Undefined if all are empty. Throws JobFailure.
 */
export async function readKubeconfigs(
  files: string,
  textOf: (file: string) => Promise<string>,
): Promise<ReadKubeconfig | undefined> {
  const places = files.split(":").filter((file) => file !== "");
  const found = await Promise.all(
    places.map(async (file) => ({ folder: path.dirname(file), text: await textOf(file) })),
  );
  const said: unknown[] = [];
  for (const { folder, text } of found) {
    if (text.trim() !== "") said.push(inFolder(await parseKubeconfig(text), folder));
  }
  if (said.length <= 1) return said.length === 0 ? undefined : readKubeconfig(said[0]);
  // An invalid file is reported as if it were alone.
  const parts = said.map((one) => part.safeParse(one).data);
  const wrong = parts.indexOf(undefined);
  return readKubeconfig(
    wrong === -1 ? merged(parts.filter((one) => one !== undefined)) : said[wrong],
  );
}

function merged(parts: readonly Part[]): unknown {
  const all = lists.map((list) => [list, parts.flatMap((one) => one[list] ?? [])]);
  const context = parts.map((one) => one["current-context"]).find(Boolean);
  return { ...Object.fromEntries(all), "current-context": context ?? "" };
}

const pathsIn = {
  clusters: ["cluster", ["certificate-authority"]],
  users: ["user", ["client-certificate", "client-key", "tokenFile"]],
} as const;

function inFolder(said: unknown, folder: string): unknown {
  const { data } = part.safeParse(said);
  if (data === undefined) return said;
  const whole = { ...data };
  for (const list of ["clusters", "users"] as const) {
    const [of, names] = pathsIn[list];
    whole[list] = data[list]?.map((one) => ({ ...one, [of]: withPaths(one[of], names, folder) }));
  }
  return whole;
}

function withPaths(said: unknown, names: readonly string[], folder: string): unknown {
  if (typeof said !== "object" || said === null) return said;
  const entries = Object.entries(said).map(([name, value]: [string, unknown]) => {
    const isPath = names.includes(name) && typeof value === "string" && value !== "";
    return [name, isPath ? path.resolve(folder, value) : value];
  });
  return Object.fromEntries(entries);
}
