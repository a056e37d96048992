import type { ReadValues, StoredValues } from "../installs/state-values.ts";
import type { RenderingWay } from "./renderings.ts";

/** What asks for outputs again and again, by what is in those before, gets all. */
const mostRounds = 3;
/** Of what has no outputs, or whose outputs are gone. */
const nothing = Buffer.from("{}");

/** Reads what one rendering needs of an install's values: each of them once, and outputs only when they are asked for. */
export class ValueReading {
  readonly #values: StoredValues;
  readonly #most: number;
  readonly #wanted = new Set<string>();
  readonly #leftOut = new Set<string>();
  #read: ReadValues | undefined;
  #rounds = 0;
  #outputBytes = 0;

  /** `most`: how many bytes of outputs. */
  constructor(values: StoredValues, { readsAll, most }: RenderingWay) {
    this.#values = values;
    this.#most = most;
    if (readsAll) this.#want(values.ends.map(({ name }) => name));
  }

  /** How long all is that was read, or will be. */
  get bytes(): number {
    return this.#values.bytes + this.#outputBytes;
  }

  async read(): Promise<ReadValues> {
    const { ends, inputs, variables, outputs } = this.#values;
    const before = this.#read;
    const known = new Set(before?.outputs.map(([name]) => name));
    const more = [...this.#wanted].filter((name) => !known.has(name));
    const found = more.length === 0 ? [] : await outputs(more);
    const isFound = new Set(found.map(([name]) => name));
    const none = more.filter((name) => !isFound.has(name)).map((name) => [name, nothing] as const);
    this.#read = {
      ends: ends.map(({ name, id, status }) => ({ name, id, status })),
      inputs: before?.inputs ?? (await inputs()),
      variables: before?.variables ?? (await variables()),
      outputs: [...(before?.outputs ?? []), ...found, ...none],
      leftOut: [...this.#leftOut],
    };
    return this.#read;
  }

  /** Whether something is missing, which is read next. */
  wants(missing: readonly string[]): boolean {
    if (missing.length === 0) return false;
    this.#rounds += 1;
    if (this.#rounds > mostRounds) throw new Error("it asks for outputs that nothing has");
    const isLast = this.#rounds >= mostRounds;
    this.#want(isLast ? this.#values.ends.map(({ name }) => name) : missing);
    return true;
  }

  /** Those that are too many are left out. */
  #want(keys: readonly string[]): void {
    for (const { name, bytes } of this.#values.ends) {
      if (!keys.includes(name) || this.#wanted.has(name)) continue;
      const fits = this.#outputBytes + bytes <= this.#most;
      (fits ? this.#wanted : this.#leftOut).add(name);
      if (fits) this.#outputBytes += bytes;
    }
  }
}
