import { createHash } from "node:crypto";
import { z } from "zod";
import { awsUrl } from "../../credentials/regions.ts";
import { type AwsKeys, signedHeaders } from "../../credentials/sign-v4.ts";
import { askStore, notUnderstood, type StoreAnswer, storeFault } from "./ask-store.ts";
import type { SecretClass } from "./secret-fault.ts";
import type { SecretPlace } from "./secret-place.ts";
import type { SecretStore, StoreCaller } from "./secret-store.ts";

const who = "Secrets Manager";
const answer = z.looseObject({
  VersionId: z.string(),
  SecretString: z.string().nullish(),
  SecretBinary: z.string().nullish(),
});
const refusal = z.looseObject({
  __type: z.string().nullish(),
  message: z.string().nullish(),
  Message: z.string().nullish(),
});
const type = "application/x-amz-json-1.1";

/** A secret of AWS Secrets Manager. */
export function openAwsStore(
  caller: StoreCaller,
  { arn, region }: Extract<SecretPlace, { readonly cloud: "aws" }>,
  keysOf: () => Promise<AwsKeys>,
): SecretStore {
  const call = async (action: string, members: object): Promise<StoreAnswer> => {
    const url = new URL(urlOf(caller, region));
    const body = JSON.stringify({ SecretId: arn, ...members });
    const asked = { "content-type": type, "x-amz-target": `secretsmanager.${action}` };
    const request = { method: "POST", url, headers: asked, body };
    const scope = { region, service: "secretsmanager", atMs: Date.now() };
    const { host: _, ...headers } = signedHeaders(request, await keysOf(), scope);
    const question = { url: url.href, method: "POST", headers, body, who, isBusy } as const;
    return await askStore(caller, question);
  };
  return {
    read: async () => {
      const told = await call("GetSecretValue", {});
      const { data } = told.status === 200 ? answer.safeParse(told.said) : {};
      if (data === undefined && codeOf(told.said) === "ResourceNotFoundException") return undefined;
      if (data === undefined) throw refused(told);
      const { VersionId: version, SecretString: text, SecretBinary: bytes } = data;
      if (text != null) return { value: Buffer.from(text), version };
      if (bytes != null) return { value: Buffer.from(bytes, "base64"), version };
      throw notUnderstood(who);
    },
    fill: async (value) => {
      const token = { ClientRequestToken: firstVersion(arn), SecretString: value };
      const told = await call("PutSecretValue", token);
      const { data } = told.status === 200 ? answer.safeParse(told.said) : {};
      if (data !== undefined) return { value: Buffer.from(value), version: data.VersionId };
      // Somebody else has made this version, with another value: theirs counts.
      if (codeOf(told.said) === "ResourceExistsException") return undefined;
      throw refused(told);
    },
  };
}

/**
 * The id of the version that is made of a secret without one, always the same: of two who make it at once, the second is
 * refused.
 */
function firstVersion(arn: string): string {
  const hex = createHash("sha256").update(`svc auto_generate ${arn}`).digest("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The URL of Secrets Manager in a region, unless the environment sets another, as the AWS SDKs read it. */
function urlOf({ env }: StoreCaller, region: string): string {
  const given = env["AWS_ENDPOINT_URL_SECRETS_MANAGER"] || env["AWS_ENDPOINT_URL"];
  if (given) return given.endsWith("/") ? given : `${given}/`;
  return awsUrl("secretsmanager", region);
}

/** Throttling has the status 400, too. */
function isBusy({ status, text }: { readonly status: number; readonly text: string }): boolean {
  return (
    status === 429 || status >= 500 || (status === 400 && text.includes("ThrottlingException"))
  );
}

const codeOf = (said: unknown): string =>
  refusal.safeParse(said).data?.__type?.split("#").at(-1) ?? "";

const notSignedIn =
  /^(?:UnrecognizedClient|InvalidClientTokenId|InvalidSignature|IncompleteSignature|SignatureDoesNotMatch|ExpiredToken|MissingAuthenticationToken|InvalidToken)/;

function refused(told: StoreAnswer): Error {
  const code = codeOf(told.said);
  const { message, Message } = refusal.safeParse(told.said).data ?? {};
  return storeFault(told, [code, message ?? Message], classOf(code));
}

function classOf(code: string): SecretClass | undefined {
  if (notSignedIn.test(code)) return "auth";
  if (/^(?:AccessDenied|DecryptionFailure)/.test(code)) return "forbidden";
  if (code === "ThrottlingException") return "network";
  return code === "ResourceNotFoundException" ? "not_found" : undefined;
}
