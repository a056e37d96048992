import { gunzipSync, gzipSync } from "node:zlib";
import { protobufFields } from "../protobuf-fields.ts";
import { type HelmRecord, mostRecordBytes } from "./each-record.ts";
import { FrontRefusal } from "./status-answer.ts";

/** The parts of helm's secret that are used: its name, its labels and the release in it. */
export type SentSecret = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly release: Buffer | undefined;
};

/** Field numbers from Kubernetes' generated.proto. */
const fields = {
  unknown: { raw: 2 },
  secret: { metadata: 1, data: 2 },
  metadata: { name: 1, labels: 11 },
  entry: { key: 1, value: 2 },
};
const magic = Buffer.from("k8s\0");

/** Reads a secret that a client sent, as protobuf or as JSON. Throws FrontRefusal. */
export function readSecret(body: Buffer): SentSecret {
  try {
    return body.subarray(0, magic.length).equals(magic)
      ? fromProtobuf(body.subarray(magic.length))
      : fromJson(body);
  } catch (error) {
    throw new FrontRefusal(400, `the secret cannot be read: ${(error as Error).message}`);
  }
}

function fromProtobuf(message: Buffer): SentSecret {
  const secret = oneField(message, fields.unknown.raw);
  const metadata = oneField(secret, fields.secret.metadata);
  const data = entriesOf(secret, fields.secret.data);
  return {
    name: oneField(metadata, fields.metadata.name).toString("utf8"),
    labels: Object.fromEntries(
      entriesOf(metadata, fields.metadata.labels).map(([name, value]) => [
        name,
        value.toString("utf8"),
      ]),
    ),
    release: data.find(([name]) => name === "release")?.[1],
  };
}

function oneField(message: Buffer, wanted: number): Buffer {
  const found = protobufFields(message).findLast(({ number }) => number === wanted);
  return found?.bytes ?? Buffer.alloc(0);
}

function entriesOf(message: Buffer, wanted: number): [string, Buffer][] {
  return protobufFields(message)
    .filter(({ number }) => number === wanted)
    .map(({ bytes }) => [
      oneField(bytes, fields.entry.key).toString("utf8"),
      oneField(bytes, fields.entry.value),
    ]);
}

type JsonSecret = {
  readonly metadata?: { readonly name?: string; readonly labels?: Record<string, string> | null };
  readonly data?: Readonly<Record<string, string>> | null;
};

function fromJson(body: Buffer): SentSecret {
  const { metadata, data } = JSON.parse(body.toString("utf8")) as JsonSecret; // the API's own form
  const release = data?.["release"];
  return {
    name: metadata?.name ?? "",
    labels: metadata?.labels ?? {},
    release: release === undefined ? undefined : Buffer.from(release, "base64"),
  };
}

/** Helm's record of a release as the broker keeps it: its JSON, with the secret's labels merged. Throws FrontRefusal. */
export function recordOf({ release, labels }: SentSecret): string {
  if (release === undefined) throw new FrontRefusal(400, "the secret holds no release");
  const text = unpackRelease(release.toString("latin1")).trim();
  if (text.length < 3 || !text.startsWith("{") || !text.endsWith("}")) {
    throw new FrontRefusal(400, "the release is not a JSON object");
  }
  // Inserted as text, so that what helm wrote stays byte for byte.
  return `${text.slice(0, -1)},"labels":${JSON.stringify(labels)}}`;
}

/** Helm's record of a release as JSON, unpacked from the form that it has in a cluster. Throws FrontRefusal. */
export function unpackRelease(release: string, mostBytes = mostRecordBytes): string {
  try {
    const packed = Buffer.from(release, "base64");
    return gunzipSync(packed, { maxOutputLength: mostBytes }).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") {
      throw new FrontRefusal(400, "the release cannot be unpacked");
    }
    const words = `the release's record is larger than ${mostBytes / 2 ** 20} MiB, which is the limit`;
    throw new FrontRefusal(413, words);
  }
}

/** A record of the broker as the secret that helm reads. */
export function secretOf(record: unknown, namespace: string): object {
  const { labels, ...release } = record as HelmRecord; // helm's own document
  const { name = "", version = 0, info } = release;
  const own = { name, owner: "helm", status: info?.status ?? "unknown", version: String(version) };
  const packed = gzipSync(JSON.stringify(release), { level: 1 }).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `sh.helm.release.v1.${name}.v${version}`,
      namespace,
      resourceVersion: "1",
      labels: { ...labels, ...own },
    },
    type: "helm.sh/release.v1",
    data: { release: Buffer.from(packed).toString("base64") },
  };
}
