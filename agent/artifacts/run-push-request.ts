import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { Environment } from "../config/environment.ts";
import { readLayout } from "../image-builds/read-layout.ts";
import { type Artifact, pushArtifact } from "../registry/push-artifact.ts";
import { makeRegistryClient } from "../registry/registry-client.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { usesProxy } from "../registry/uses-proxy.ts";
import { provenanceStatement, provenanceType } from "./provenance.ts";
import { type Pushed, type PushRequest, pushRequest } from "./push-request.ts";

/** The exit code when the result file says why. */
const failedCode = 72;

type Call = { readonly env: Environment; readonly say: (line: string) => void };

/**
 * Pushes an artifact, then its provenance, which refers to it, and the tag last, by a request in a file: what is under
 * the tag has its provenance. Writes the result beside it. Returns an exit code.
 */
export async function runPushRequest(file: string, { env, say }: Call): Promise<number> {
  const request = pushRequest.parse(JSON.parse(await readFile(file, "utf8")));
  const tell = async (what: object): Promise<void> =>
    await writeFile(request.told, JSON.stringify(what), { mode: 0o600 });
  const { registry, login, tag } = request;
  try {
    const how = { access: "push", isProxied: usesProxy(env) } as const;
    const client = makeRegistryClient(registry, login, how);
    const whole = await wholeOf(request);
    const pushed = await pushArtifact(client, whole);
    const statement = `${file}.provenance`;
    const text = provenanceStatement(request.provenance, pushed.digest);
    await writeFile(statement, text, { mode: 0o600 });
    const size = Buffer.byteLength(text);
    const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    const title = { "org.opencontainers.image.title": "provenance.json" };
    const empty = { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") };
    const told = await pushArtifact(client, {
      artifactType: provenanceType,
      config: empty,
      layers: [{ file: statement, mediaType: provenanceType, size, digest, annotations: title }],
      subject: pushed,
    });
    await pushArtifact(client, whole, tag);
    const bytes = whole.layers.reduce((sum, one) => sum + one.size, whole.config.bytes.length);
    const result: Pushed = { ...pushed, bytes, provenance: told.digest };
    await tell(result);
    say(`pushed ${registry.repository}:${tag} as ${pushed.digest}`);
    return 0;
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    await tell({ class: error.class, words: error.message });
    return failedCode;
  }
}

/** Throws RegistryFault. */
async function wholeOf({ artifact, layout }: PushRequest): Promise<Artifact> {
  if (artifact === undefined) return await readLayout(layout ?? "");
  const { artifactType, config, layer, annotations } = artifact;
  const bytes = Buffer.from(config.text);
  const made = { artifactType, annotations, layers: [layer] };
  return { ...made, config: { mediaType: config.mediaType, bytes } };
}
