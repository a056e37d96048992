import { finderOf, includesText } from "./find-text.ts";

/** So much of each part is looked for in all places at once; the rest of one only where this stands. */
const headLetters = 16;
/** Looking for one after the other is quicker for so many letters: nothing has to be made ready. */
const mostOneByOne = 2 ** 20;
/** What it costs besides, in letters that are looked at: to look for one part in a text, and to make one letter of a head ready. */
const costs = { part: 32, headLetter: 16 } as const;

type Options = {
  /** Is told how many letters are about to be looked at. */
  readonly count?: (letters: number) => void;
  readonly mostOneByOne?: number;
};

/**
 * Looks for many parts in texts: each letter of a text is looked at once, however many parts there are. Only those of them
 * that are long, and begin in a text, are then looked for by themselves.
 */
export class PartFinder {
  readonly #parts: readonly string[];
  readonly #options: Required<Options>;
  #heads: Heads | undefined;
  #oneByOne = 0;

  /** The parts are not empty. */
  constructor(parts: Iterable<string>, options: Options = {}) {
    this.#parts = [...new Set(parts)];
    this.#options = { count: () => {}, mostOneByOne, ...options };
  }

  /** Whether any of them is in a text. */
  isAnyIn(text: string): boolean {
    return this.partsIn(text).next().done !== true;
  }

  /** Those that are in a text, in no order. */
  *partsIn(text: string): Generator<string> {
    const letters = (text.length + costs.part) * this.#parts.length;
    const { count, mostOneByOne: most } = this.#options;
    if (this.#heads === undefined && this.#oneByOne + letters <= most) {
      this.#oneByOne += letters;
      count(letters);
      for (const part of this.#parts) if (includesText(text, part)) yield part;
      return;
    }
    this.#heads ??= this.#makeHeads();
    count(text.length);
    for (const [part, from] of this.#heads.begunIn(text))
      if (part.length <= headLetters || this.#isIn(text, part, from)) yield part;
  }

  #makeHeads(): Heads {
    const letters = this.#parts.reduce((sum, { length }) => sum + Math.min(length, headLetters), 0);
    this.#options.count(letters * costs.headLetter);
    return new Heads(this.#parts);
  }

  #isIn(text: string, part: string, from: number): boolean {
    this.#options.count(text.length - from + part.length);
    return finderOf(part)(text, from) !== -1;
  }
}

/** How many letters are hashed. */
const hashed = 3;
const hashes = 2 ** 18;
const letterCodes = 2 ** 16;

/** The heads of all parts as one automaton, by Aho and Corasick: its nodes are begins of heads, the empty one is 0. */
class Heads {
  readonly #next = new Map<number, number>();
  /** How long each node is. */
  readonly #depths: number[] = [0];
  /** The longest end of each node that is a node, too. */
  readonly #shorter: number[] = [0];
  /** The nearest of these where a head ends; 0: none. */
  readonly #ending: number[] = [0];
  readonly #ended: (string[] | undefined)[] = [undefined];
  /** Whether a head may begin with three letters of this hash. */
  readonly #mayBegin = new Uint8Array(hashes);

  constructor(parts: readonly string[]) {
    for (const part of parts) this.#add(part);
    this.#link();
    if (parts.some(({ length }) => length < hashed)) this.#mayBegin.fill(1);
  }

  /** The parts whose heads stand in a text, each once, and where. */
  *begunIn(text: string): Generator<[part: string, from: number]> {
    const told = new Set<number>();
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      if (node === 0) at = nextBegin(text, at, this.#mayBegin);
      if (at >= text.length) return;
      const before = this.#depths[node] ?? 0;
      node = this.#after(node, text.charCodeAt(at));
      const depth = this.#depths[node] ?? 0;
      if (depth <= before && depth < hashed) {
        at -= depth; // whether a head may begin there is told sooner by its hash
        node = 0;
        continue;
      }
      for (const end of this.#endsOf(node)) {
        if (told.has(end)) continue;
        told.add(end);
        for (const part of this.#ended[end] ?? [])
          yield [part, at + 1 - Math.min(part.length, headLetters)];
      }
    }
  }

  /** The nodes with which a node ends and where heads end. */
  *#endsOf(node: number): Generator<number> {
    if (this.#ended[node] !== undefined) yield node;
    for (let end = this.#ending[node] ?? 0; end !== 0; end = this.#ending[end] ?? 0) yield end;
  }

  #add(part: string): void {
    let node = 0;
    const length = Math.min(part.length, headLetters);
    for (let at = 0; at < length; at++) {
      const key = node * letterCodes + part.charCodeAt(at);
      node = this.#next.get(key) ?? this.#newNode(key, at + 1);
    }
    (this.#ended[node] ??= []).push(part);
    this.#mayBegin[hashOf(part)] = 1;
  }

  #newNode(key: number, depth: number): number {
    this.#depths.push(depth);
    const node = this.#ended.push(undefined) - 1;
    this.#next.set(key, node);
    return node;
  }

  /** Shorter nodes first: what is longer follows from them. */
  #link(): void {
    const below = new Map<number, [letter: number, node: number][]>();
    for (const [key, node] of this.#next) {
      const from = Math.floor(key / letterCodes);
      const own = below.get(from) ?? [];
      own.push([key % letterCodes, node]);
      below.set(from, own);
    }
    const nodes = [0];
    for (const from of nodes)
      for (const [letter, node] of below.get(from) ?? []) {
        const shorter = from === 0 ? 0 : this.#after(this.#shorter[from] ?? 0, letter);
        this.#shorter[node] = shorter;
        this.#ending[node] =
          this.#ended[shorter] === undefined ? (this.#ending[shorter] ?? 0) : shorter;
        nodes.push(node);
      }
  }

  #after(before: number, letter: number): number {
    for (let node = before; ; node = this.#shorter[node] ?? 0) {
      const next = this.#next.get(node * letterCodes + letter);
      if (next !== undefined) return next;
      if (node === 0) return 0;
    }
  }
}

/** The next place where the hash of three letters is one of these; the length where there is none. */
function nextBegin(text: string, from: number, mayBegin: Uint8Array): number {
  const last = text.length - hashed;
  let hash = 0;
  for (let ahead = from; ahead < Math.min(from + 2, text.length); ahead++)
    hash = (hash << 6) ^ text.charCodeAt(ahead);
  for (let at = from; at <= last; at++) {
    hash = ((hash << 6) ^ text.charCodeAt(at + 2)) & (hashes - 1);
    if (mayBegin[hash] === 1) return at;
  }
  return Math.max(from, last + 1);
}

/** Of three letters, by which the next one's is made of it. */
const hashOf = (part: string): number =>
  ((part.charCodeAt(0) << 12) ^ (part.charCodeAt(1) << 6) ^ part.charCodeAt(2)) & (hashes - 1);
