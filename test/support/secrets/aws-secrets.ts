import { signedHeaders } from "../../../agent/credentials/sign-v4.ts";
import type { Moto } from "../programs/start-moto.ts";

export const region = "eu-central-1";

/** Asks a double of AWS' Secrets Manager as an administrator. */
export async function askSecretsManager(
  { url }: Pick<Moto, "url">,
  action: string,
  members: object,
): Promise<Record<string, unknown>> {
  const type = "application/x-amz-json-1.1";
  const body = JSON.stringify(members);
  const at = new URL(url);
  const asked = { "content-type": type, "x-amz-target": `secretsmanager.${action}` };
  const keys = { accessKeyId: "testing", secretAccessKey: "testing" };
  const scope = { region, service: "secretsmanager", atMs: Date.now() };
  const request = { method: "POST", url: at, headers: asked, body };
  const { host: _, ...headers } = signedHeaders(request, keys, scope);
  const answer = await fetch(at, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`${action}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>; // JSON, as AWS answers
}

/** Makes a secret, with this value if one is given, and gives its ARN. */
export async function givenAwsSecret(
  moto: Pick<Moto, "url">,
  name: string,
  value?: string | Uint8Array,
): Promise<string> {
  const given =
    typeof value === "string"
      ? { SecretString: value }
      : value && { SecretBinary: Buffer.from(value).toString("base64") };
  const { ARN } = await askSecretsManager(moto, "CreateSecret", { Name: name, ...given });
  return String(ARN);
}
