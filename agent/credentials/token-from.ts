import { z } from "zod";
import { CredentialFault } from "./credential-fault.ts";
import type { ClusterToken } from "./eks-token.ts";
import { parsedJson } from "./parsed-json.ts";

const answer = z.looseObject({
  access_token: z.string().min(1),
  expires_in: z.union([z.number(), z.string().regex(/^\d+$/)]).optional(),
});
const refusal = z.looseObject({
  error: z.string().optional(),
  error_description: z.string().optional(),
});
const usualSeconds = 300;

/**
 * Reads the token from an OAuth server's answer. Throws CredentialFault with the server's message if there is none.
 */
export function tokenFrom(
  { status, text }: { readonly status: number; readonly text: string },
  who: string,
): ClusterToken {
  const said = parsedJson(text);
  const { data } = status === 200 ? answer.safeParse(said) : {};
  if (data !== undefined) {
    const seconds = Number(data.expires_in ?? usualSeconds);
    return { token: data.access_token, expiresAtMs: Date.now() + seconds * 1000 };
  }
  const { error, error_description } = refusal.safeParse(said).data ?? {};
  const words = [error, error_description].filter(Boolean).join(": ").slice(0, 500);
  throw new CredentialFault(`${who} returned no token: ${words || `status ${status}`}`);
}
