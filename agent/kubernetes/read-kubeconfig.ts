import { z } from "zod";
import { firstFault } from "../../shared/issue-words.ts";
import { deployFailure } from "./deploy-failure.ts";
import { readYaml, YamlFault } from "./read-yaml.ts";

const text = z.string().nullish();
const exec = z.looseObject({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
});
const user = z.looseObject({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  "auth-provider": z.looseObject({ name: z.string() }).nullish(),
  exec: exec.nullish(),
});
const cluster = z.looseObject({
  server: z.string(),
  "certificate-authority": text,
  "certificate-authority-data": text,
  "insecure-skip-tls-verify": z.boolean().nullish(),
  "tls-server-name": text,
  "proxy-url": text,
});
const context = z.looseObject({ cluster: z.string(), user: text, namespace: text });
const kubeconfig = z.looseObject({
  "current-context": z.string().min(1, "names no context"),
  clusters: z.array(z.looseObject({ name: z.string(), cluster })),
  users: z.array(z.looseObject({ name: z.string(), user: user.nullish() })).nullish(),
  contexts: z.array(z.looseObject({ name: z.string(), context })),
});

export type KubeUser = z.infer<typeof user>;
export type ExecPlugin = z.infer<typeof exec>;
/** The part of a kubeconfig for the current context. */
export type ReadKubeconfig = {
  readonly cluster: z.infer<typeof cluster>;
  readonly user: KubeUser;
  readonly namespace: string;
};

/** Reads the current context of a kubeconfig. Throws JobFailure that names the wrong member. */
export function readKubeconfig(parsed: unknown): ReadKubeconfig {
  const { data, error } = kubeconfig.safeParse(parsed);
  if (data === undefined) {
    throw unfit(firstFault(error));
  }
  const name = data["current-context"];
  const found = data.contexts.find((one) => one.name === name)?.context;
  if (found === undefined) throw unfit(`there is no context ${name}, which current-context names`);
  const of = data.clusters.find((one) => one.name === found.cluster)?.cluster;
  if (of === undefined) throw unfit(`there is no cluster ${found.cluster}, which ${name} names`);
  const who = data.users?.find((one) => one.name === found.user)?.user ?? {};
  const provider = who["auth-provider"]?.name;
  if (provider != null) {
    throw unfit(`the auth-provider ${provider} is no longer supported: use exec`);
  }
  if (!URL.canParse(of.server)) throw unfit(`the server of ${found.cluster} is not a URL`);
  return { cluster: of, user: who, namespace: found.namespace || "default" };
}

/** Parses a kubeconfig without checking it. Most are JSON, which needs no library. Throws JobFailure. */
export async function parseKubeconfig(text: string): Promise<unknown> {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return await firstDocument(text);
  }
}

async function firstDocument(text: string): Promise<unknown> {
  try {
    return (await readYaml(text))[0]?.value;
  } catch (error) {
    if (error instanceof YamlFault) throw unfit(error.message);
    throw error;
  }
}

function unfit(words: string): Error {
  return deployFailure(`The kubeconfig cannot be used: ${words}.`, "config_invalid");
}
