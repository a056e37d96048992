import { z } from "zod";
import { CredentialFault } from "../credentials/credential-fault.ts";
import { tokenInFile } from "../credentials/token-in-file.ts";
import { readOwnFile } from "../files/read-own-file.ts";
import type { RegistryLogin } from "./log-in.ts";
import type { Reference } from "./reference.ts";

/** A registry, or what begins like this there, to which the agent's owner gives a login. */
export type RegistryCredential = {
  /** `ghcr.io`, or what repositories begin with: `ghcr.io/acme`. */
  readonly place: string;
  readonly login: () => Promise<RegistryLogin>;
};

const word = z.string().nullish();
const entry = z.looseObject({
  auth: word,
  username: word,
  password: word,
  identitytoken: word,
  // What follows is ours.
  password_file: word,
});
const whole = z.looseObject({
  auths: z.record(z.string(), entry).nullish(),
  credHelpers: z.looseObject({}).nullish(),
  credsStore: word,
});
const mostBytes = 2 ** 20;
/** What docker's own file calls its registry. */
const dockers: ReadonlySet<string> = new Set(["docker.io", "index.docker.io"]);

/** Reads logins from a file like docker's config.json, which nobody but its owner may read. Throws CredentialFault. */
export async function readRegistryCredentials(file: string): Promise<RegistryCredential[]> {
  const text = await readOwnFile(file, { mostBytes, fault: unfit });
  const { data } = whole.safeParse(parsed(text));
  if (data === undefined)
    throw new CredentialFault(
      `The file ${file} is not like docker's config.json: write {"auths": {"registry.example.com": {"username": "…", "password_file": "…"}}}.`,
    );
  if (data.credsStore || Object.keys(data.credHelpers ?? {}).length > 0)
    throw new CredentialFault(
      `The file ${file} names programs that keep logins (credsStore, credHelpers), which are not run: write the logins in auths.`,
    );
  return Object.entries(data.auths ?? {}).map(([name, given]) => credentialOf(file, name, given));
}

/** The one of a repository: that of the longest beginning. */
export function findCredential(
  all: readonly RegistryCredential[],
  { origin, repository }: Pick<Reference, "origin" | "repository">,
): RegistryCredential | undefined {
  return all
    .filter(({ place }) => isBelow({ origin, repository }, place))
    .toSorted((one, other) => other.place.length - one.place.length)[0];
}

/** Whether a repository is below such a place: `ghcr.io`, `ghcr.io/acme`. */
export function isBelow(
  { origin, repository }: Pick<Reference, "origin" | "repository">,
  place: string,
): boolean {
  return `${new URL(origin).host}/${repository}/`.startsWith(`${place}/`);
}

function credentialOf(
  file: string,
  name: string,
  given: z.infer<typeof entry>,
): RegistryCredential {
  const [named = "", ...rest] = name.replace(/^https?:\/\//, "").split("/");
  const host = dockers.has(named) ? "registry-1.docker.io" : named.toLowerCase();
  // `https://index.docker.io/v1/` names a registry and no repositories.
  const prefix = rest.join("/").replace(/\/+$/, "");
  const of = { place: prefix === "" || /^v[12]$/.test(prefix) ? host : `${host}/${prefix}` };
  const fault = (why: string): CredentialFault =>
    new CredentialFault(`The file ${file}: the login for ${name} ${why}.`);
  if (!/^[\w.-]+(?::\d+)?$|^\[[0-9a-f:]+\](?::\d+)?$/.test(host))
    throw fault("is for no registry: use a name like registry.example.com:5000");
  const { username, password, password_file, identitytoken } = { ...given, ...pairOf(given.auth) };
  if (identitytoken)
    return { ...of, login: async () => await now({ refreshToken: identitytoken }) };
  if (username && password) return { ...of, login: async () => await now({ username, password }) };
  if (username && password_file)
    return {
      ...of,
      login: async () => ({ username, password: firstLine(await tokenInFile(password_file)) }),
    };
  throw fault("is not whole: set auth, username with password or password_file, or identitytoken");
}

const now = async (login: RegistryLogin): Promise<RegistryLogin> => await Promise.resolve(login);
const firstLine = (text: string): string => text.split(/[\r\n]/)[0] ?? "";

/** `auth` is a name and a password in one. */
function pairOf(auth: string | null | undefined): { username?: string; password?: string } {
  if (!auth) return {};
  const [, username = "", password = ""] =
    /^([^:]*):([^]*)$/.exec(Buffer.from(auth, "base64").toString("utf8")) ?? [];
  return { username, password };
}

const unfit = (words: string): CredentialFault =>
  new CredentialFault(`The setting registry-credentials cannot be used: ${words}.`);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // its error would quote what it has read
  }
}
