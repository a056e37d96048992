import type { ModelSignal } from "./model-signal.ts";

type Entry = { readonly signal: ModelSignal; readonly n: number };

/** The line of turns that wait until a broker has room for them, those with them that have ended meanwhile. */
export class BacklogModel {
  #line: Entry[] = [];
  #last = 0;

  get isEmpty(): boolean {
    return this.#line.length === 0;
  }

  add(signal: ModelSignal): void {
    signal.backlogged = this.#last += 1;
    this.#line.push({ signal, n: signal.backlogged });
  }

  /** The first of them; where one has ended, all that have ended are forgotten. */
  take(most: number): ModelSignal[] {
    const isWaiting = ({ signal, n }: Entry) =>
      signal.status === "in-flight" && signal.backlogged === n;
    const first = this.#line.splice(0, most);
    if (!first.every(isWaiting)) this.#line = this.#line.filter(isWaiting);
    return first.filter(isWaiting).map(({ signal }) => signal);
  }
}
