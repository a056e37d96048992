import { ToolFault } from "../tool-fault.ts";

/** A packet of OpenPGP (RFC 9580): its type and its body. */
export type Packet = { readonly tag: number; readonly body: Buffer };

/** Reads packets, also of armoured text. Throws ToolFault for truncated packets and for those of unknown length. */
export function readPackets(given: Buffer): Packet[] {
  const bytes = withoutArmour(given);
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length;) {
    const head = bytes[at] ?? 0;
    const isNew = (head & 0x40) !== 0;
    if ((head & 0x80) === 0) throw wrong();
    const tag = isNew ? head & 0x3f : (head >> 2) & 0x0f;
    const { from, length } = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, head & 3);
    if (from + length > bytes.length) throw wrong();
    packets.push({ tag, body: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return packets;
}

type Extent = { readonly from: number; readonly length: number };

/** Reads a length of one, two or five bytes, as in packets and subpackets; partial lengths are refused. */
export function newLength(bytes: Buffer, at: number): Extent {
  const first = byteAt(bytes, at);
  if (first < 192) return { from: at + 1, length: first };
  if (first < 224) {
    return { from: at + 2, length: (first - 192) * 256 + byteAt(bytes, at + 1) + 192 };
  }
  if (first !== 255 || at + 5 > bytes.length) throw wrong();
  return { from: at + 5, length: bytes.readUInt32BE(at + 1) };
}

function oldLength(bytes: Buffer, at: number, kind: number): Extent {
  const size = [1, 2, 4][kind];
  if (size === undefined || at + size > bytes.length) throw wrong();
  return { from: at + size, length: bytes.readUIntBE(at, size) };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw wrong();
  return byte;
}

function withoutArmour(bytes: Buffer): Buffer {
  if (bytes.toString("latin1", 0, 5) !== "-----") return bytes;
  const [, body = ""] =
    /^-----BEGIN PGP [^\n]*\n(?:[^\n]*: [^\n]*\n)*\s*\n([\s\S]*?)(?:\n=|\n-----END)/.exec(
      bytes.toString("latin1").replaceAll("\r", ""),
    ) ?? [];
  return Buffer.from(body, "base64");
}

function wrong(): ToolFault {
  return new ToolFault("signature", "this is not valid OpenPGP data");
}
