import { type Evaluation, MissingValue, type Slot } from "./evaluate-expression.ts";
import type { Evaluated } from "./functions/template-function.ts";
import { isEmpty, type Json, type JsonObject } from "./json-value.ts";
import { Masks } from "./masks.ts";
import { memberOf } from "./member-of.ts";
import { FollowsFault, RenderError, RenderWork, TooMuchWork } from "./render-work.ts";
import type { Sensitive, Taint } from "./taint.ts";
import { wholeSlot } from "./template-scopes.ts";
import { type Provided, type Provider, whoProvides } from "./who-provides.ts";

/** What an action gives, before it is written. */
export type Output = {
  readonly text: string;
  readonly value: Json;
  /** How sensitive the value is. */
  readonly taint: Taint;
  /** The function that made it of one value, before it was indented; undefined where none did. */
  readonly madeBy: string | undefined;
  /** Whether `indent` or `nindent` indented it. */
  readonly isLaidOut: boolean;
};

/** How it is rendered besides. */
export type RenderBy = {
  /** What of the state is. */
  readonly sensitive?: Sensitive | undefined;
  /** What counts it, with all else that is rendered for the same request; a budget of its own unless given. */
  readonly work?: RenderWork | undefined;
  /** What stands in a text for what an action gives; that itself unless given. */
  readonly write?: ((output: Output) => string) | undefined;
};

/** Where in a config a text is. */
export type RenderPlace = { readonly file: string; readonly member: string };

/** Why a text cannot be rendered. No value is in its words, but for what the template itself says. */
export type RenderFault = RenderPlace & {
  readonly code: "missing_value" | "render_failed";
  /** In the text, from 1. */
  readonly line: number;
  /** What is missing, as `.svc.inputs.inputs.domain`; null of other faults, and where it is not known. */
  readonly path: string | null;
  /** Who would give it, if anyone would. */
  readonly provider: Provider | null;
  readonly detail: string;
};

/** What came of an evaluation that may have failed. */
type Guarded<Value> = Evaluated<Value | undefined> & { readonly isUnsure: boolean };

const mostFaults = 500;
/** What an error costs, beside an expression. */
const faultSteps = 50;
const mostLetters = 500;
const prefix = "svc";

/** One rendering, of one text or of many: what they are rendered with, and all that is wrong with them. */
export class Rendering implements Evaluation {
  readonly roots: ReadonlySet<string>;
  readonly work: RenderWork;
  readonly slots = new Map<number, Slot>();
  isSwayed = false;
  hasRead = false;
  /** Whether something sensitive has decided that what is rendered now is rendered at all. */
  isHidden = false;
  readonly masks = new Masks();
  readonly #write: RenderBy["write"];
  readonly #state: JsonObject;
  readonly #sensitive: Sensitive | undefined;
  /** By their words: a loop tells each once. */
  readonly #faults = new Map<string, RenderFault>();
  #place: RenderPlace;
  #text = "";
  /** Where its lines end, once one is asked for. */
  #lines: readonly number[] | undefined;

  constructor(
    state: JsonObject,
    place: RenderPlace,
    { sensitive, work = new RenderWork(), write }: RenderBy = {},
  ) {
    this.work = work;
    this.#write = write;
    this.#state = state;
    this.#sensitive = sensitive;
    this.#place = place;
    this.roots = new Set(Object.keys(state));
  }

  /** The text that is rendered next, and where it is. */
  begin(place: RenderPlace, text: string): void {
    this.#place = place;
    this.#text = text;
    this.#lines = undefined;
    this.isSwayed = false;
    this.slots.clear();
    this.slots.set(wholeSlot, { found: this.#state, taint: this.#sensitive, path: [] });
  }

  /** What is written for what an action gives; that itself is counted, too. Throws TooMuchWork. */
  writtenOf(output: Output): string {
    if (this.#write === undefined) return output.text;
    this.work.write(output.text);
    return this.#write(output);
  }

  /**
   * What is evaluated of an action that is there, and how sensitive that is: wholly, where something sensitive has had a say. Undefined,
   * and told, where it cannot be. Throws TooMuchWork.
   */
  guarded<Value>(at: number, evaluate: () => Evaluated<Value>): Guarded<Value> {
    this.isSwayed = this.isHidden;
    let found: Value | undefined;
    let taint: Taint;
    try {
      ({ found, taint } = evaluate());
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      this.#noteRead(at);
      if (error instanceof TooMuchWork) throw error;
      this.work.spend(faultSteps);
      this.tell(error);
    }
    this.#noteRead(at);
    return { found, taint: this.isSwayed ? true : taint, isUnsure: this.isSwayed };
  }

  #noteRead(at: number): void {
    if (!this.hasRead || this.masks.first !== undefined) return;
    this.masks.note({ ...this.#place, line: this.#lineOf(at) });
  }

  /** Notes why something cannot be rendered, once; of what something sensitive has a say in, only that it cannot. */
  tell(error: RenderError): void {
    if (error instanceof FollowsFault) return;
    if (this.isSwayed) this.masks.hasFault = true;
    else if (this.#faults.size < mostFaults) this.#tellOpenly(error);
  }

  #tellOpenly(error: RenderError): void {
    const line = this.#lineOf(error.at ?? 0);
    const fault = error instanceof MissingValue ? this.#missing(error) : failed(error);
    const { file, member } = this.#place;
    const told = { ...fault, file, member: cut(member), line, detail: cut(fault.detail) };
    this.#faults.set(JSON.stringify(told), told);
  }

  /**
   * What all of it gives, or everything that is wrong. Of what is wrong by something sensitive there is one fault, and only where there
   * is no other: so it never shows which of the sensitive ones it was.
   */
  finish<Value>(render: () => Value): { readonly rendered: Value } | readonly RenderFault[] {
    try {
      const rendered = render();
      if (this.#faults.size === 0 && !this.masks.hasFault) return { rendered };
    } catch (error) {
      if (!(error instanceof RenderError)) throw error; // a text alone may be too long, before anything of it is evaluated
      if (this.hasRead) return [this.#maskedFault()];
      this.#tellOpenly(error);
    }
    return this.#faults.size === 0 ? [this.#maskedFault()] : [...this.#faults.values()];
  }

  #maskedFault(): RenderFault {
    const fault = this.masks.faultOr({ ...this.#place, line: 1 });
    return { ...fault, member: cut(fault.member) };
  }

  #lineOf(at: number): number {
    this.#lines ??= [...this.#text.matchAll(/\n/g)].map(({ index }) => index);
    let [from, to] = [0, this.#lines.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#lines[middle] ?? at) < at) from = middle + 1;
      else to = middle;
    }
    return from + 1;
  }

  #missing({ absent, message }: MissingValue) {
    const why = message === "" ? "" : `${message}: `;
    const path = [absent.isWhole ? "" : "…", ...absent.path].join(".");
    const code = "missing_value" as const;
    const { provider, words } = this.#provided(absent.isWhole ? absent.path : []);
    const hint = words === "" ? "" : `: ${words}`;
    return {
      code,
      provider,
      path: absent.isWhole ? cut(path) : null,
      detail: `${why}${path} is missing${hint}`,
    };
  }

  /** Other names of `.svc` have the same values. */
  #provided([root, ...below]: readonly string[]): Provided {
    const state = this.#state[prefix];
    if (root === undefined || state === undefined || this.#state[root] !== state)
      return { provider: null, words: "" };
    return whoProvides(below, (path) => this.#has(state, path));
  }

  #has(state: Json, path: readonly string[]): boolean {
    let value: Json | undefined = state;
    for (const key of path) value = value === undefined ? value : memberOf(value, key, this.work);
    return value !== undefined && !isEmpty(value);
  }
}

const failed = ({ message }: RenderError) => ({
  code: "render_failed" as const,
  provider: null,
  path: null,
  detail: message,
});

const cut = (text: string): string =>
  text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text;
