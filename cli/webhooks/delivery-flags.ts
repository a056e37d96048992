import { randomBytes } from "node:crypto";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readInput } from "../connection/connection.ts";
import { requireObject } from "../flags/json-object.ts";

/** What is delivered and how it is signed: flags of whatever delivers events. */
export const deliveryFlags = {
  "sign-by": {
    value: "FILE",
    summary: "Sign deliveries by the secret in this file, or from standard input (-).",
  },
  interests: { value: "FILE", summary: "Which events it gets, as JSON; from a file or -." },
  match: { value: "FILE", summary: "Whose events it gets, as JSON; from a file or -." },
} as const;

/** The secret of a file, without the line's end that editors put there; undefined when the flag is absent. */
export async function readSecret(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const secret = (await readInput(file)).replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`There is no secret in ${file}.`);
  return secret;
}

/** A secret as Standard Webhooks writes them. */
export const makeSecret = (): string => `whsec_${randomBytes(24).toString("base64")}`;

/** The JSON text of --interests or --match. */
export async function readFilter(name: "interests" | "match", file: string): Promise<string> {
  return requireObject(await readInput(file), `--${name}: ${file}`);
}

/** The URL of a receiver that the command line itself posts to; undefined when the flag is absent. */
export function readReceiver(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError("--forward-to must be an http or https URL.");
  if (url.username !== "" || url.password !== "")
    throw new UsageError("--forward-to must have no user name and no password.");
  return url;
}
