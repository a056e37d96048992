import { z } from "zod";
import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { Refusal } from "./driver.ts";
import { CommandFault, runCommand } from "./run-command.ts";

const withinMs = 120_000;
/** cosign's exit codes for an image without a signature, without one that matches, and without a certificate. */
const verdicts: readonly unknown[] = [10, 12, 13];

type How = {
  readonly config: Pick<AgentConfig, "env" | "mngImageIssuer" | "mngImageIdentity">;
  readonly settings: RunnerSettings | undefined;
  readonly signal: AbortSignal;
};

/**
 * Has cosign verify the signature of an image that is on this host, where anybody says who must have signed it: the host's
 * owner, else the runner's settings. Returns the image by the digest that was verified, because a tag may move; the image
 * as it is called, where nobody asks for a signature. Throws Refusal for one that is not signed so.
 */
export async function verifyImage(
  image: string,
  digests: string,
  { config, settings, signal }: How,
): Promise<string> {
  const signer = signerOf(config, settings);
  if (signer === undefined) return image;
  const verified = digestOf(image, digests);
  const args = [
    "verify",
    `--certificate-oidc-issuer=${signer.issuer}`,
    `--certificate-identity-regexp=${signer.identity}`,
    verified,
  ];
  try {
    await runCommand("cosign", args, { env: config.env, timeout: withinMs, signal });
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error;
    const { code, message } = error;
    if (code === "ENOENT") {
      throw new Error(`${image} must be signed, and cosign is not on the PATH`, { cause: error });
    }
    const words = `The signature of ${image} could not be verified: ${message}`;
    const isVerdict = verdicts.includes(code) || /\bno (?:matching )?signatures\b/.test(message);
    throw isVerdict ? new Refusal(words) : new Error(words, { cause: error });
  }
  return image.includes("@") ? image : `${image}${verified.slice(verified.indexOf("@"))}`;
}

type Signer = { readonly issuer: string; readonly identity: string };

/** Who must have signed: what the host's owner says is not weakened by anybody else. */
function signerOf(
  { mngImageIssuer, mngImageIdentity }: How["config"],
  settings: How["settings"],
): Signer | undefined {
  if (mngImageIssuer !== undefined && mngImageIdentity !== undefined) {
    return { issuer: mngImageIssuer, identity: mngImageIdentity };
  }
  if (mngImageIssuer !== undefined || mngImageIdentity !== undefined) {
    throw new Refusal("No image is run with only one of mng-image-issuer and mng-image-identity.");
  }
  const issuer = settings?.container_image_signature_issuer ?? "";
  const identity = settings?.container_image_signature_identity_regexp ?? "";
  return issuer === "" || identity === "" ? undefined : { issuer, identity };
}

/** The image by the digest under which its own repository has it. */
function digestOf(image: string, digests: string): string {
  if (image.includes("@")) return image;
  const repository = plain(image.slice(0, image.lastIndexOf(":")));
  const all = z.array(z.string()).nullable().parse(JSON.parse(digests)) ?? [];
  const found = all.find((one) => plain(one.slice(0, one.indexOf("@"))) === repository);
  if (found !== undefined) return found;
  throw new Refusal(`${image} has no digest by which it could be verified.`);
}

/** docker leaves out its own registry. */
const plain = (repository: string): string =>
  repository.replace(/^docker\.io\//, "").replace(/^library\//, "");
