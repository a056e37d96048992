import { z } from "zod";
import { readBounded } from "./read-bounded.ts";
import { RegistryFault } from "./registry-fault.ts";

const mostBytes = 2 ** 20;
const said = z.looseObject({ token: z.unknown().optional(), access_token: z.unknown().optional() });

/**
 * Reads the token from a token server's answer; undefined if there is none. Throws RegistryFault, also for more than 1
 * MiB.
 */
export async function readToken(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const bytes = await readBounded(body, mostBytes).catch(() => {
    throw new RegistryFault(
      "network",
      "the registry's token server closed the connection in the middle of its answer",
    );
  });
  if (bytes === undefined)
    throw new RegistryFault("auth", "the registry's token server sent more than 1 MiB");
  return tokenIn(bytes.toString("utf8"));
}

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token } = said.parse(JSON.parse(text));
    const found = token ?? access_token;
    return typeof found === "string" && found !== "" ? found : undefined;
  } catch {
    return undefined;
  }
}
