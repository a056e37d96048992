import { protobufFields } from "../../protobuf-fields.ts";
import { readMsgpackMap } from "./msgpack-map.ts";
import { zipEntry } from "./zip-entry.ts";

/** The type and settings of a backend, which keeps a state. */
export type Backend = {
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
};

const mostBytes = 256 * 2 ** 20;
/** Field numbers of terraform's planfile.proto. */
const fields = { backend: 13, type: 1, config: 2, msgpack: 1 };

/** The backend that a plan file names, to which its apply sends the state; undefined when it cannot be read. */
export function planBackend(planFile: Buffer): Backend | undefined {
  const plan = zipEntry(planFile, "tfplan", mostBytes);
  if (plan === undefined) return undefined;
  try {
    const backend = onlyField(plan, fields.backend);
    const config = onlyField(onlyField(backend, fields.config), fields.msgpack);
    return {
      type: onlyField(backend, fields.type).toString("utf8"),
      config: readMsgpackMap(config),
    };
  } catch {
    return undefined; // another format, or truncated
  }
}

/** Throws for a repeated field, as parsers differ in which one they use. */
function onlyField(message: Buffer, wanted: number): Buffer {
  const found = protobufFields(message).filter(({ number }) => number === wanted);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new RangeError(`not one field ${wanted}`);
  return only.bytes;
}
