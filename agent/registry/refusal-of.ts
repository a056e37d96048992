import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { RegistryAnswer } from "./exchange.ts";
import { readBounded } from "./read-bounded.ts";
import { type RegistryClass, RegistryFault } from "./registry-fault.ts";

const said = z.looseObject({
  errors: z
    .array(z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }))
    .nullish(),
});
const mostBytes = 64 * 1024;
const mostWords = 200;

const classes: Readonly<Record<number, RegistryClass>> = {
  401: "auth",
  403: "auth",
  404: "not_found",
  413: "too_large",
  429: "rate_limited",
};

/** Says why a registry did not do what it was asked, by its answer, whose body it reads. */
export async function refusalOf(answer: RegistryAnswer, hasLogin: boolean): Promise<RegistryFault> {
  const { status, headers } = answer;
  const words = await wordsOf(answer.body);
  const more = words === "" ? "" : `: ${words}`;
  if (status === 401 && !hasLogin) return needsLogin();
  const kind = classes[status] ?? (status >= 500 ? "network" : "refused");
  if (kind === "auth")
    return new RegistryFault(kind, `the registry refused the credentials (${status})${more}`);
  if (kind === "not_found")
    return new RegistryFault(kind, `the registry does not have it (404)${more}`);
  if (kind === "rate_limited") {
    const later = /^\d{1,9}$/.test(headers["retry-after"] ?? "")
      ? `; it asks to wait ${headers["retry-after"]} s`
      : "";
    return new RegistryFault(kind, `the registry takes no more requests for now (429)${later}`);
  }
  const isOther = words.includes("DIGEST_INVALID");
  return new RegistryFault(isOther ? "digest" : kind, `the registry answered ${status}${more}`);
}

/** The refusal of a registry that wants to know who asks. */
export function needsLogin(): RegistryFault {
  return new RegistryFault(
    "auth",
    "the registry requires a login, but the plan has no credentials for it",
  );
}

/** What a registry says of its refusal, cut short and on one line; empty when it says nothing that can be read. */
async function wordsOf(body: IncomingMessage): Promise<string> {
  try {
    const text = (await readBounded(body, mostBytes))?.toString("utf8") ?? "";
    const { errors } = said.parse(JSON.parse(text));
    const [first] = errors ?? [];
    const words = [first?.code, first?.message].filter(Boolean).join(": ");
    return words
      .replaceAll(/[^\u0020-\u007E]+/g, " ")
      .slice(0, mostWords)
      .trim();
  } catch {
    return "";
  }
}
