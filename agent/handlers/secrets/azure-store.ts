import { z } from "zod";
import { askStore, notUnderstood, type StoreAnswer, storeFault } from "./ask-store.ts";
import type { SecretPlace } from "./secret-place.ts";
import type { SecretStore, StoreCaller } from "./secret-store.ts";

const who = "Key Vault";
const apiVersion = "7.4";
const answer = z.looseObject({ id: z.string(), value: z.string() });
const refusal = z.looseObject({
  error: z.looseObject({
    code: z.string().nullish(),
    message: z.string().nullish(),
    innererror: z.looseObject({ code: z.string().nullish() }).nullish(),
  }),
});

/** A secret of an Azure Key Vault. */
export function openAzureStore(
  caller: StoreCaller,
  place: Extract<SecretPlace, { readonly cloud: "azure" }>,
  tokenOf: () => Promise<string>,
): SecretStore {
  const { origin, name, version, vaults } = place;
  const call = async (path: string, body?: object): Promise<StoreAnswer> => {
    const headers = {
      authorization: `Bearer ${await tokenOf()}`,
      ...(body && { "content-type": "application/json" }),
    };
    const sent = body && ({ method: "PUT", body: JSON.stringify(body) } as const);
    const url = `${origin}/secrets/${name}${path}?api-version=${apiVersion}`;
    return await askStore(caller, { url, headers, who, ...sent });
  };
  return {
    read: async () => {
      const told = await call(version === "" ? "" : `/${version}`);
      if (told.status === 404 && codeOf(told) === "SecretNotFound") return undefined;
      if (told.status !== 200) throw refused(told, vaults.resource);
      const { data } = answer.safeParse(told.said);
      if (data === undefined) throw notUnderstood(who);
      return { value: Buffer.from(data.value), version: data.id };
    },
    fill: async (value) => {
      const told = await call("", { value });
      if (told.status !== 200) throw refused(told, vaults.resource);
      const { data } = answer.safeParse(told.said);
      if (data === undefined) throw notUnderstood(who);
      return { value: Buffer.from(value), version: data.id };
    },
  };
}

const codeOf = ({ said }: StoreAnswer): string => refusal.safeParse(said).data?.error.code ?? "";

/** A challenge is told of and not followed: who gives tokens is not for the vault to say. */
function refused(told: StoreAnswer, resource: string): Error {
  const { code, message, innererror } = refusal.safeParse(told.said).data?.error ?? {};
  const [, wanted] = /\bresource="([^"]*)"/.exec(told.headers["www-authenticate"] ?? "") ?? [];
  const other =
    told.status === 401 && wanted !== undefined && wanted !== resource
      ? `it wants a token for ${wanted}, not ${resource}`
      : undefined;
  return storeFault(told, [code, innererror?.code, message, other]);
}
