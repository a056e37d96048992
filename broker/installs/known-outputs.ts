import type { Json } from "../../shared/app-config/templates/json-value.ts";
import { RenderError } from "../../shared/app-config/templates/render-work.ts";

/** How much of outputs is read for one thing that is rendered. */
export const mostOutputBytes = 16 * 2 ** 20;
/** The same of a state that is recorded: it has the ids of runs, and their outputs stay with these. */
export const mostRecordedBytes = 2 ** 20;

/** By what outputs of a component, and of the sandbox, are known beside those of actions: no action has such a name. */
export const componentKey = (name: string): string => `component:${name}`;
export const sandboxKey = "sandbox:";
export const isActionKey = (key: string): boolean => !key.includes(":");

/** The outputs that are at hand; it notes which others were asked for. */
export class KnownOutputs {
  /** Asked for, and not at hand: what was made meanwhile is worth nothing. */
  readonly missing = new Set<string>();
  readonly #known: ReadonlyMap<string, Json>;
  readonly #leftOut: ReadonlySet<string>;

  /** By the names of actions and the keys above; those that are left out may not be read, for there are too many. */
  constructor(known: ReadonlyMap<string, Json>, leftOut: Iterable<string> = []) {
    this.#known = known;
    this.#leftOut = new Set(leftOut);
  }

  /** Undefined where they are not at hand. */
  find(key: string): Json | undefined {
    return this.#known.get(key);
  }

  /** Throws a RenderError for those that are left out. */
  of(key: string): Json {
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    if (this.#leftOut.has(key))
      throw new RenderError(`the outputs that it reads are more than ${mostOutputBytes} bytes`);
    this.missing.add(key);
    return {};
  }

  /** The same, with words for those that are left out. */
  withWords(): KnownOutputs {
    const told = [...this.#leftOut].map((key) => [key, leftOutWords] as const);
    return new KnownOutputs(new Map([...this.#known, ...told]));
  }
}

const leftOutWords = "(left out: all outputs together are too large)";
