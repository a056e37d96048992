import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { firstFault } from "../../shared/issue-words.ts";
import type { CliConfig } from "../config.ts";
import { sendableCluster, sendableUser } from "./sendable-context.ts";

const named = z.looseObject({ name: z.string() });
const context = named.extend({
  context: z.looseObject({
    cluster: z.string(),
    user: z.string().nullish(),
    namespace: z.string().nullish(),
  }),
});
const cluster = named.extend({ cluster: z.looseObject({ server: z.string() }) });
const user = named.extend({ user: z.looseObject({}).nullish() });
const kubeconfig = z.looseObject({
  "current-context": z.string().nullish(),
  contexts: z.array(context).nullish(),
  clusters: z.array(cluster).nullish(),
  users: z.array(user).nullish(),
});
type Kubeconfig = z.infer<typeof kubeconfig> & { readonly file: string };

/** A cluster of the person's own, as a plan names it. */
export type OwnCluster = {
  /** The `cluster_info` of a plan: one context and nothing else; absent where none is sent. */
  readonly info: { readonly kube_config: string } | undefined;
  /** The context's own namespace. */
  readonly namespace: string | undefined;
};

type Flags = { readonly kubeconfig: string | undefined; readonly context: string | undefined };

/** The one context that is sent, by itself, with what its files hold. A UsageError for one that cannot be. */
export async function readOwnCluster(
  { kubeconfig: file, context: asked }: Flags,
  { env }: Pick<CliConfig, "env">,
): Promise<OwnCluster> {
  if (file === undefined && asked === undefined) return { info: undefined, namespace: undefined };
  const files = file === undefined ? ownFiles(env) : [file];
  const found = await Promise.all(files.map((one) => readKubeconfig(one, file !== undefined)));
  const configs = found.flatMap((one) => one ?? []);
  const called = files.join(" and ");
  const name = asked ?? configs.map((one) => one["current-context"]).find(Boolean);
  if (!name) throw new UsageError(`${called} has no current context: name one with --context.`);
  const contexts = configs.flatMap((one) => one.contexts ?? []);
  const wanted = contexts.find((one) => one.name === name)?.context;
  if (wanted === undefined) {
    const names = contexts.map((one) => one.name).join(", ");
    throw new UsageError(
      `There is no context ${name} in ${called}.`,
      names === "" ? "" : `There are: ${names}.`,
    );
  }
  const inWhich = `${name} of ${called}`;
  const server = entryOf(configs, "clusters", wanted.cluster);
  if (server === undefined) {
    throw new UsageError(
      `The context ${inWhich} names the cluster ${wanted.cluster}, which is not there.`,
    );
  }
  const who = entryOf(configs, "users", wanted.user ?? "");
  if (who === undefined && wanted.user) {
    throw new UsageError(
      `The context ${inWhich} names the user ${wanted.user}, which is not there.`,
    );
  }
  const only = "svc";
  const kept = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": only,
    clusters: [{ name: only, cluster: await sendableCluster(server, inWhich) }],
    users: [{ name: only, user: who === undefined ? {} : await sendableUser(who, inWhich) }],
    contexts: [
      {
        name: only,
        context: {
          cluster: only,
          user: only,
          ...(wanted.namespace && { namespace: wanted.namespace }),
        },
      },
    ],
  };
  return {
    info: { kube_config: JSON.stringify(kept) },
    namespace: wanted.namespace ?? undefined,
  };
}

/** Where kubectl looks. */
export function ownFiles(env: CliConfig["env"]): string[] {
  const told = (env["KUBECONFIG"] ?? "").split(path.delimiter).filter((file) => file !== "");
  return told.length > 0 ? told : [path.join(env["HOME"] || homedir(), ".kube", "config")];
}

/** As kubectl does: the first of several files that has the name; files that it names lie beside it. */
function entryOf(
  configs: readonly Kubeconfig[],
  kind: "clusters" | "users",
  name: string,
): { readonly value: Readonly<Record<string, unknown>>; readonly folder: string } | undefined {
  for (const config of configs) {
    const entries =
      kind === "clusters"
        ? (config.clusters ?? []).map((one) => ({ name: one.name, value: one.cluster }))
        : (config.users ?? []).map((one) => ({ name: one.name, value: one.user ?? {} }));
    const entry = entries.find((one) => one.name === name);
    if (entry !== undefined) return { value: entry.value, folder: path.dirname(config.file) };
  }
  return undefined;
}

async function readKubeconfig(file: string, isNeeded: boolean): Promise<Kubeconfig | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && !isNeeded) return undefined;
    throw new UsageError(`${file} cannot be read (${error.code ?? "unknown"}).`);
  });
  if (text === undefined) return undefined;
  const { parse } = await import("yaml"); // loaded by who needs it: it is slow
  let value: unknown;
  try {
    value = parse(text, { logLevel: "error" });
  } catch {
    throw new UsageError(`${file} is no kubeconfig: it is not YAML.`);
  }
  const { data, error } = kubeconfig.safeParse(value ?? {});
  if (data !== undefined) return { ...data, file };
  throw new UsageError(`${file} is no kubeconfig: ${firstFault(error)}.`);
}
