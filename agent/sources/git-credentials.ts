import path from "node:path";
import { readOwnFile } from "../files/read-own-file.ts";

/** Who signs in at one git server, and with what. */
export type GitCredential = {
  readonly user: string;
} & (
  | {
      readonly kind: "token";
      /** As URLs name the server: scheme, host and port. */
      readonly origin: string;
      readonly file: string;
    }
  | {
      readonly kind: "ssh";
      readonly host: string;
      readonly port: number;
      readonly file: string;
      /** The file of the keys by which the server is known. */
      readonly hostsFile?: string;
    }
);

/** A credential with its secret, and for ssh with the keys of its server where they are given. */
export type OpenedCredential = GitCredential & {
  readonly secret: string;
  readonly knownHosts?: string;
};

/** The file of the setting `git-credentials`, or a file that it names, cannot be used. The message says what to do. */
export class CredentialsFault extends Error {
  override readonly name = "CredentialsFault";
}

const mostBytes = 64 * 1024;
const mostLines = 100;

/**
 * Reads the file of the setting `git-credentials` and the files that it names; throws CredentialsFault for one that others can
 * read, or that is not as docs/agent.md says.
 */
export async function openGitCredentials(file: string): Promise<readonly OpenedCredential[]> {
  const listed = parseGitCredentials(await readOwnFile(file, secretly), file);
  return await Promise.all(
    listed.map(async (one) => ({
      ...one,
      secret: secretIn(await readOwnFile(one.file, secretly), one),
      ...(one.kind === "ssh" && one.hostsFile !== undefined && (await hostsIn(one.hostsFile))),
    })),
  );
}

const fault = (words: string): CredentialsFault => new CredentialsFault(words);
const secretly = { mostBytes, fault };

async function hostsIn(file: string): Promise<{ readonly knownHosts: string }> {
  const knownHosts = await readOwnFile(file, { mostBytes, fault, isPublic: true });
  if (/^[^#\s]/m.test(knownHosts)) return { knownHosts };
  throw fault(`${file} has no key of a server: ssh-keyscan prints them`);
}

/** A token is the first line of its file; a key is all of it. */
function secretIn(text: string, { kind, file }: GitCredential): string {
  const [line = ""] = text.split(/[\r\n]/);
  const secret = kind === "ssh" ? text : line.trim();
  if (secret.trim() !== "" && !secret.includes("\0")) return secret;
  throw new CredentialsFault(`${file} is empty, or no text`);
}

/**
 * The lines of such a file: a server, a user, and `token-file=PATH`, or `ssh-key=PATH` with or without `known-hosts=PATH`. Throws
 * CredentialsFault with the line's number.
 */
export function parseGitCredentials(text: string, file: string): readonly GitCredential[] {
  const found: GitCredential[] = [];
  const seen = new Set<string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const said = line.trim();
    if (said === "" || said.startsWith("#")) continue;
    const refuse = (words: string): CredentialsFault =>
      new CredentialsFault(`${file}, line ${at + 1}: ${words}`);
    const one = credentialIn(said.split(/\s+/), path.dirname(file), refuse);
    const key = one.kind === "ssh" ? `ssh ${one.host}:${one.port}` : one.origin;
    if (seen.has(key)) throw refuse(`there is a line for ${key} already`);
    seen.add(key);
    if (found.push(one) > mostLines) throw refuse(`there are at most ${mostLines} servers`);
  }
  return found;
}

function credentialIn(
  parts: readonly string[],
  folder: string,
  refuse: (words: string) => Error,
): GitCredential {
  const [server = "", user = "", given = "", besides = "", ...more] = parts;
  const [, kind, named = ""] = /^(token-file|ssh-key)=(.+)$/.exec(given) ?? [];
  const [, hosts] = /^known-hosts=(.+)$/.exec(besides) ?? [];
  const isWhole = besides === "" || (hosts !== undefined && kind === "ssh-key");
  if (kind === undefined || !isWhole || more.length > 0)
    throw refuse(
      "a line is HOST USER token-file=PATH, or HOST USER ssh-key=PATH known-hosts=PATH (the last may be left out)",
    );
  if (!/^[\w.@+-]+$/.test(user) || user.startsWith("-")) throw refuse("the user is not a name");
  const [file = "", hostsFile] = [named, hosts].map((one) => one && path.resolve(folder, one));
  if (/['"\\\p{Cc}]/u.test(file)) throw refuse("the path has a quote or a backslash in it");
  const url = /^https?:\/\//.test(server) ? server : `https://${server}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isHost = parsed !== undefined && /^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/.test(parsed.hostname);
  if (!isHost || `${parsed.origin}/` !== parsed.href)
    throw refuse("the first word is no server: give HOST or HOST:PORT");
  if (kind === "token-file") return { kind: "token", origin: parsed.origin, user, file };
  if (server !== url) return sshOf(server, parsed.hostname);
  throw refuse("a key is for ssh: give HOST or HOST:PORT without a scheme");

  /** A port of https is no default of ssh, and is one that was given. */
  function sshOf(given: string, host: string): GitCredential {
    const [, port] = /:(\d+)$/.exec(given) ?? [];
    const bare = host.replace(/^\[|\]$/g, "");
    const of = { host: bare, port: port === undefined ? 22 : Number(port), user, file };
    return { kind: "ssh", ...of, ...(hostsFile !== undefined && { hostsFile }) };
  }
}
