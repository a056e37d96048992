import type { Json } from "../../shared/app-config/templates/json-value.ts";
import { RenderError } from "../../shared/app-config/templates/render-work.ts";

/** How much of outputs is read for one thing that is rendered. */
export const mostOutputBytes = 16 * 2 ** 20;
/** The same of a state that is recorded: it has the ids of runs, and their outputs stay with these. */
export const mostRecordedBytes = 2 ** 20;

/** The outputs of actions that are at hand; it notes which others were asked for. */
export class KnownOutputs {
  /** Asked for, and not at hand: what was made meanwhile is worth nothing. */
  readonly missing = new Set<string>();
  readonly #known: ReadonlyMap<string, Json>;
  readonly #leftOut: ReadonlySet<string>;

  /** By the names of actions; those that are left out may not be read, for there are too many. */
  constructor(known: ReadonlyMap<string, Json>, leftOut: Iterable<string> = []) {
    this.#known = known;
    this.#leftOut = new Set(leftOut);
  }

  /** Undefined where they are not at hand. */
  find(action: string): Json | undefined {
    return this.#known.get(action);
  }

  /** Throws a RenderError for those that are left out. */
  of(action: string): Json {
    const found = this.#known.get(action);
    if (found !== undefined) return found;
    if (this.#leftOut.has(action))
      throw new RenderError(`the outputs that it reads are more than ${mostOutputBytes} bytes`);
    this.missing.add(action);
    return {};
  }

  /** The same, with words for those that are left out. */
  withWords(): KnownOutputs {
    const told = [...this.#leftOut].map((action) => [action, leftOutWords] as const);
    return new KnownOutputs(new Map([...this.#known, ...told]));
  }
}

const leftOutWords = "(left out: the outputs of all actions together are too large)";
