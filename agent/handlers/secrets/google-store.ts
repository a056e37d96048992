import { z } from "zod";
import { askStore, notUnderstood, type StoreAnswer, storeFault } from "./ask-store.ts";
import { crc32c } from "./crc32c.ts";
import { SecretFault } from "./secret-fault.ts";
import type { SecretPlace } from "./secret-place.ts";
import type { SecretStore, StoreCaller } from "./secret-store.ts";

const who = "Secret Manager";
const answer = z.looseObject({
  name: z.string(),
  payload: z.looseObject({
    data: z.string().nullish(),
    dataCrc32c: z.union([z.string(), z.number()]).nullish(),
  }),
});
const versionName = z.looseObject({ name: z.string() });
const refusal = z.looseObject({
  error: z.looseObject({ status: z.string().nullish(), message: z.string().nullish() }),
});

/** A secret of Google's Secret Manager. */
export function openGoogleStore(
  caller: StoreCaller,
  { name, host, version }: Extract<SecretPlace, { readonly cloud: "gcp" }>,
  tokenOf: () => Promise<string>,
): SecretStore {
  const call = async (path: string, body?: object): Promise<StoreAnswer> => {
    const headers = {
      authorization: `Bearer ${await tokenOf()}`,
      ...(body && { "content-type": "application/json" }),
    };
    const sent = body && ({ method: "POST", body: JSON.stringify(body) } as const);
    const url = `${baseOf(caller, host)}/v1/${name}${path}`;
    return await askStore(caller, { url, headers, who, ...sent });
  };
  return {
    read: async () => {
      const told = await call(`/versions/${version}:access`);
      if (told.status === 404) return undefined;
      if (told.status !== 200) throw refused(told);
      const { data } = answer.safeParse(told.said);
      if (data === undefined) throw notUnderstood(who);
      return { value: wholeValue(data.payload), version: data.name };
    },
    fill: async (text) => {
      const bytes = Buffer.from(text);
      const data = bytes.toString("base64");
      const payload = { data, dataCrc32c: String(crc32c(bytes)) };
      const told = await call(":addVersion", { payload });
      if (told.status !== 200) throw refused(told);
      const made = versionName.safeParse(told.said).data;
      if (made === undefined) throw notUnderstood(who);
      return { value: bytes, version: made.name };
    },
  };
}

function wholeValue({ data, dataCrc32c }: z.infer<typeof answer>["payload"]): Buffer {
  const value = Buffer.from(data ?? "", "base64");
  if (dataCrc32c != null && String(crc32c(value)) !== String(dataCrc32c))
    throw new SecretFault("network", "the value did not arrive whole: its checksum is another");
  return value;
}

/** Of the environment, as gcloud reads it, else Google's own. */
function baseOf({ env }: StoreCaller, host: string): string {
  const given = env["CLOUDSDK_API_ENDPOINT_OVERRIDES_SECRETMANAGER"];
  return given ? given.replace(/\/$/, "") : `https://${host}`;
}

function refused(told: StoreAnswer): Error {
  const { status, message } = refusal.safeParse(told.said).data?.error ?? {};
  return storeFault(told, [status, message]);
}
