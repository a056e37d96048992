import { readFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../shared/command-line/usage-error.ts";

/** A part of a kubeconfig, and the folder that its files are named from. */
type Part = {
  readonly value: Readonly<Record<string, unknown>>;
  readonly folder: string;
};

/** A cluster as it can be sent: its certificate is in it. */
export async function sendableCluster(part: Part, inWhich: string): Promise<object> {
  const { value } = part;
  const ca = await withFile(part, "certificate-authority", inWhich);
  return {
    ...kept(value, ["server", "insecure-skip-tls-verify", "tls-server-name", "proxy-url"]),
    ...ca,
  };
}

/** A user as it can be sent: certificates, keys and tokens are in it. A UsageError for one that is none without this machine. */
export async function sendableUser(part: Part, inWhich: string): Promise<object> {
  const { value } = part;
  const { exec, "auth-provider": provider, tokenFile } = value;
  if (isThere(exec)) {
    const { command } = exec as { command?: unknown };
    throw unsendable(
      inWhich,
      `signs in by a program of this machine (${typeof command === "string" ? command : "exec"})`,
    );
  }
  if (isThere(provider)) throw unsendable(inWhich, "signs in by an auth-provider");
  // Who leaves it out would be more than the person is.
  if (["as", "as-uid", "as-groups", "as-user-extra"].some((name) => isThere(value[name]))) {
    throw unsendable(inWhich, "acts as somebody else");
  }
  const certificate = await withFile(part, "client-certificate", inWhich);
  const key = await withFile(part, "client-key", inWhich);
  const own = kept(value, ["token", "username", "password"]);
  const isFromFile = !isThere(value["token"]) && typeof tokenFile === "string" && tokenFile !== "";
  const token = isFromFile
    ? { token: (await contentsOf(part, tokenFile, inWhich)).toString("utf8").trim() }
    : {};
  return { ...certificate, ...key, ...own, ...token };
}

const isThere = (value: unknown): boolean => value != null && value !== "";

function kept(value: Part["value"], names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (isThere(value[name]) ? [[name, value[name]]] : [])),
  );
}

/** What stands in it, or in the file that it names, as `…-data`. */
async function withFile(
  part: Part,
  name: string,
  inWhich: string,
): Promise<Record<string, unknown>> {
  const { [name]: file, [`${name}-data`]: inline } = part.value;
  if (isThere(inline)) return { [`${name}-data`]: inline };
  if (typeof file !== "string" || file === "") return {};
  return { [`${name}-data`]: (await contentsOf(part, file, inWhich)).toString("base64") };
}

async function contentsOf({ folder }: Part, file: string, inWhich: string): Promise<Buffer> {
  const place = path.resolve(folder, file);
  return await readFile(place).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `The context ${inWhich} names the file ${place}, which cannot be read (${error.code ?? "unknown"}).`,
    );
  });
}

function unsendable(inWhich: string, why: string): UsageError {
  return new UsageError(
    `The context ${inWhich} cannot be sent: it ${why}.`,
    "Name a context with a token or a certificate, or leave --kubeconfig and --context out: the runner's agent then signs in by itself.",
  );
}
