import { readFile, rename, writeFile } from "node:fs/promises";
import type { Environment } from "../../config/environment.ts";
import { chooseTag } from "../../registry/choose-tag.ts";
import { copyImage } from "../../registry/copy-image.ts";
import { hasParts } from "../../registry/has-parts.ts";
import { readImageMetadata } from "../../registry/image-metadata.ts";
import { listTags } from "../../registry/list-tags.ts";
import { findDigest, getManifest } from "../../registry/manifests.ts";
import { shownReference } from "../../registry/reference.ts";
import { makeRegistryClient, type RegistryClient } from "../../registry/registry-client.ts";
import { RegistryFault } from "../../registry/registry-fault.ts";
import { sayingHost } from "../../registry/saying-host.ts";
import { usesProxy } from "../../registry/uses-proxy.ts";
import { type ImageOrder, imageOrder, type ImageTold } from "./image-order.ts";
import { digestOutputs, imageOutputs, metadataOutputs } from "./image-outputs.ts";

type Call = { readonly env: Environment; readonly say: (line: string) => void };

/** The exit code when the result file says why. */
const failedCode = 72;

/** Carries out the order of an image's job, in a file, and writes the result beside it. Returns an exit code. */
export async function runImageOrder(file: string, call: Call): Promise<number> {
  const order = imageOrder.parse(JSON.parse(await readFile(file, "utf8")));
  const tell = async (what: ImageTold): Promise<void> => {
    await writeFile(`${order.told}.new`, JSON.stringify(what), { mode: 0o600 });
    await rename(`${order.told}.new`, order.told);
  };
  try {
    const said = await carryOut(order, call);
    await tell(said);
    return 0;
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    await tell({ class: error.class, words: error.message });
    return failedCode;
  }
}

async function carryOut(order: ImageOrder, call: Call): Promise<ImageTold> {
  const { does, from } = order;
  const client = clientOf(order, "from", call.env);
  const wanted = await wantedOf(order, client, call);
  if (does.kind === "metadata" && does.digestOnly) {
    const digest = (await findDigest(client, wanted)) ?? (await getManifest(client, wanted)).digest;
    return digestOutputs(from, { digest, wanted, policy: does.policy });
  }
  const manifest = await getManifest(client, wanted);
  const { digest } = manifest;
  call.say(
    `${shownReference({ ...from, tag: from.tag, digest })} has the type ${manifest.mediaType}`,
  );
  if (does.kind === "metadata") {
    const metadata = await readImageMetadata(client, manifest, does);
    return metadataOutputs(from, { ...metadata, wanted, policy: does.policy });
  }
  const source = { from, manifest, client, tag: wanted.includes(":") ? "" : wanted };
  const to = clientOf(order, "to", call.env);
  const isSame = does.kind === "pull" && does.previous === digest;
  // What somebody has removed meanwhile is copied again.
  if (isSame && (await findDigest(to, digest)) === digest && (await hasParts(to, manifest)))
    return await imageOutputs(order, source);
  const copied = await copyImage({ from: client, to, manifest, tag: does.tag, say: call.say });
  return await imageOutputs(order, source, copied);
}

/** A tag or a digest: what is named, or the newest that a policy means. */
async function wantedOf(order: ImageOrder, client: RegistryClient, { say }: Call): Promise<string> {
  const { does, from } = order;
  const policy = does.kind === "copy" ? undefined : does.policy;
  if (policy === undefined) return from.digest ?? from.tag ?? "latest";
  const tags = await listTags(client);
  const chosen = chooseTag(tags, policy);
  say(`of ${tags.length} tags, ${policy} means ${chosen}`);
  return chosen;
}

function clientOf(order: ImageOrder, which: "from" | "to", env: Environment): RegistryClient {
  const place = order[which];
  if (place === undefined) throw new Error("the order names no target");
  const isNeighbour = order.from.origin === order.to?.origin;
  const isOther = order.from.repository !== order.to?.repository;
  const client = makeRegistryClient(place, place.login, {
    access: which === "to" ? "push" : "pull",
    isProxied: usesProxy(env),
    ...(which === "to" && isNeighbour && isOther && { mountsFrom: order.from.repository }),
  });
  return sayingHost(client);
}
