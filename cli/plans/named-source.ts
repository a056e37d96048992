import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readInput } from "../connection/connection.ts";

type Login = { readonly username: string; readonly password: string };

/** A `source` of a plan that lies elsewhere. */
export type NamedSource = {
  readonly git?: object;
  readonly oci?: object;
};

/** How the two kinds of address are written, for help and errors. */
export const sourceWords = "oci://REGISTRY/REPOSITORY[:TAG] or git::URL[//FOLDER][?ref=REF]";

type More = {
  /** The tag, where the address has none. */
  readonly tag?: string | undefined;
  readonly isPlain?: boolean;
  readonly login?: Login | undefined;
};

/** Whether it is meant to be an address, and not a file of this machine. */
export const isAddress = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\/\/|git::)/i.test(text);

/** The source that an address names; a UsageError for an address of another kind. */
export function namedSource(address: string, { tag, isPlain, login }: More = {}): NamedSource {
  const auth = login === undefined ? {} : { auth: login };
  if (address.startsWith("oci://")) {
    const url = address.slice("oci://".length);
    const hasTag = /[:@][^/]*$/.test(url.replace(/^[^/]*/, ""));
    if (hasTag && tag !== undefined) {
      throw new UsageError(`${address} names a version already: leave it there, or --version.`);
    }
    // A registry's tags know no plus sign; helm writes it so.
    const named = tag === undefined ? {} : { tag: tag.replaceAll("+", "_") };
    return { oci: { url, ...named, ...(isPlain === true && { plain_http: true }), ...auth } };
  }
  if (address.startsWith("git::")) {
    const [whole = "", query = ""] = address.slice("git::".length).split("?", 2);
    const scheme = /^[a-z+]+:\/\//i.exec(whole)?.[0] ?? "";
    const [path = "", folder] = whole.slice(scheme.length).split("//", 2);
    const url = scheme + path;
    const ref = new URLSearchParams(query).get("ref");
    return { git: { url, ...(ref && { ref }), ...(folder && { path: folder }), ...auth } };
  }
  throw new UsageError(`${address} is no address that can be sent: ${sourceWords} is.`);
}

/** Who signs in where a source lies, from a file: `USER:PASSWORD`, or a token by itself. */
export async function readLogin(file: string | undefined): Promise<Login | undefined> {
  if (file === undefined) return undefined;
  const text = (await readInput(file)).trim();
  const at = text.indexOf(":");
  if (at < 1 || text.includes("\n")) {
    throw new UsageError(`${file} holds no login: one line USER:PASSWORD is.`);
  }
  return { username: text.slice(0, at), password: text.slice(at + 1) };
}
