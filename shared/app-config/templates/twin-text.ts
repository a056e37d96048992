import { hiddenValue } from "../../hidden-value.ts";
import type { Rendering } from "./rendering.ts";

/** A text that is written, and its twin for people: where something sensitive shows, there it is masked. */
export class TwinText {
  readonly #rendering: Rendering;
  readonly #plain: string[] = [];
  readonly #shown: string[] = [];
  /** Where what is masked as a whole begins. */
  #hiddenFrom: number | undefined;

  constructor(rendering: Rendering) {
    this.#rendering = rendering;
  }

  /** Counts it before it is written. Throws TooMuchWork. */
  write(text: string, isSensitive = false): void {
    this.#rendering.work.write(text);
    this.#plain.push(text);
    if (this.#hiddenFrom !== undefined) return;
    if (isSensitive) this.#mask(text);
    else this.#shown.push(text);
  }

  /** What is written until `show` is masked as one. */
  hide(): void {
    this.#hiddenFrom = this.#plain.length;
  }

  show(): void {
    const text = this.#plain.slice(this.#hiddenFrom).join("");
    this.#hiddenFrom = undefined;
    this.#mask(text);
  }

  get isEmpty(): boolean {
    return this.#plain.length === 0;
  }

  get plain(): string {
    return this.#plain.join("");
  }

  get shown(): string {
    return this.#shown.join("");
  }

  #mask(text: string): void {
    this.#rendering.masks.add(text);
    this.#shown.push(hiddenValue);
  }
}
