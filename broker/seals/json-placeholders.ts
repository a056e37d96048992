import { randomBytes } from "node:crypto";
import type { Opened } from "./open-large.ts";

/** What replaces a placeholder: its length, if it is known in advance, and its bytes. */
type Filling = { readonly sizeBytes: number | undefined; readonly pieces: Opened["pieces"] };

/** JSON in pieces; without a size when that is known only at the end. */
export type JsonInPieces = Filling;

/** Text that is read or generated while it is sent. */
export type TextInPieces = Pick<Opened, "pieces"> & { readonly heldBytes?: number };

/** So much of what stands between them is sent at once. */
const sliceBytes = 256 * 1024;

/** Large texts within a value that is sent as JSON: short placeholders stand for them until it is sent. */
export class JsonPlaceholders {
  readonly #nonce = randomBytes(16).toString("hex");
  readonly #fillings: Filling[] = [];
  /** The memory that they hold while they are sent, besides one piece. */
  heldBytes = 0;

  get isEmpty(): boolean {
    return this.#fillings.length === 0;
  }

  /** A placeholder for JSON. */
  json({ sizeBytes, pieces }: Opened): string {
    return this.#hole({ sizeBytes, pieces });
  }

  /** A placeholder, as a member of an object, for the members of another object's JSON, which has some. */
  members({ sizeBytes, pieces }: Opened): Readonly<Record<string, null>> {
    const filling = { sizeBytes: sizeBytes - 2, pieces: () => inner(pieces(), sizeBytes) };
    return { [this.#hole(filling)]: null };
  }

  /** A placeholder for the base64 of these bytes, as a string. */
  base64({ sizeBytes, pieces }: Opened): string {
    return this.#hole({
      sizeBytes: 2 + Math.ceil(sizeBytes / 3) * 4,
      pieces: () => quoted(inBase64(pieces())),
    });
  }

  /** A placeholder for this text as a string, of which so much is in memory at once. */
  text({ pieces, heldBytes = 0 }: TextInPieces): string {
    this.heldBytes += heldBytes;
    return this.#hole({ sizeBytes: undefined, pieces: () => quoted(escaped(pieces())) });
  }

  /** The JSON of a value with placeholders. */
  filled(value: unknown): JsonInPieces {
    const parts = JSON.stringify(value).split(new RegExp(`"${this.#nonce}(\\d{8})"(?::null)?`));
    const between = parts.filter((_, at) => at % 2 === 0).map((part) => Buffer.from(part));
    const fillings = parts.flatMap((nth, at) =>
      at % 2 === 0 ? [] : (this.#fillings[Number(nth)] ?? []),
    );
    const sizes = [...between.map(({ length }) => length), ...fillings.map((one) => one.sizeBytes)];
    const sizeBytes = sizes.reduce(
      (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
      0,
    );
    return {
      sizeBytes,
      async *pieces() {
        for (const [at, part] of between.entries()) {
          for (let start = 0; start < part.length; start += sliceBytes)
            yield part.subarray(start, start + sliceBytes);
          yield* fillings[at]?.pieces() ?? [];
        }
      },
    };
  }

  #hole(filling: Filling): string {
    this.#fillings.push(filling);
    return `${this.#nonce}${String(this.#fillings.length - 1).padStart(8, "0")}`;
  }
}

type Pieces = AsyncGenerator<Buffer>;

/** Without the first and last byte, which are the object's braces. */
async function* inner(pieces: Pieces, sizeBytes: number): Pieces {
  let at = 0;
  for await (const piece of pieces) {
    yield piece.subarray(at === 0 ? 1 : 0, sizeBytes - 1 - at);
    at += piece.length;
  }
}

async function* quoted(pieces: Pieces): Pieces {
  yield Buffer.from('"');
  yield* pieces;
  yield Buffer.from('"');
}

/** Each piece ends at a whole base64 group. */
async function* inBase64(pieces: Pieces): Pieces {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString("base64", 0, whole));
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"));
}

/** No character is cut in two. */
async function* escaped(pieces: Pieces): Pieces {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const piece of pieces) {
    yield Buffer.from(JSON.stringify(decoder.decode(piece, { stream: true })).slice(1, -1));
  }
}
