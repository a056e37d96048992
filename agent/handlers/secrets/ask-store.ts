import type { Received } from "../../client/send.ts";
import { askCloud } from "../../credentials/ask-cloud.ts";
import { parsedJson } from "../../credentials/parsed-json.ts";
import { type SecretClass, SecretFault } from "./secret-fault.ts";
import type { StoreCaller } from "./secret-store.ts";

type Question = Parameters<typeof askCloud>[1];

/** What a store answered: its status and what its body says. */
export type StoreAnswer = Pick<Received, "status" | "headers"> & { readonly said: unknown };

/** Asks a store, and again while it is busy. Throws CredentialFault where there is no answer. */
export async function askStore(
  { env, signal }: StoreCaller,
  question: Omit<Question, "signal">,
): Promise<StoreAnswer> {
  const { status, headers, text } = await askCloud(env, { ...question, signal });
  return { status, headers, said: parsedJson(text) };
}

const mostWords = 500;

/** What a store said against a request; by its status where its own code tells nothing. */
export function storeFault(
  { status }: Pick<StoreAnswer, "status">,
  words: readonly (string | null | undefined)[],
  known?: SecretClass,
): SecretFault {
  const said = words.filter(Boolean).join(": ").slice(0, mostWords).replace(/\.$/, "");
  return new SecretFault(known ?? classOf(status), said || `the answer was ${status}`);
}

function classOf(status: number): SecretClass {
  if (status === 401) return "auth";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "network" : "refused";
}

/** The fault of an answer that is none of the protocol. */
export const notUnderstood = (who: string): SecretFault =>
  new SecretFault("network", `${who} gave an answer that is not understood`);
