import type { Json } from "../json-value.ts";
import type { RenderWork } from "../render-work.ts";

/** What a path leads to where there is nothing: the path from the whole, or only its end if that is all that is known. */
export class Absent {
  readonly path: readonly string[];
  readonly isWhole: boolean;

  constructor(path: readonly string[], isWhole: boolean) {
    this.path = path;
    this.isWhole = isWhole;
  }
}

/** What an expression gives. */
export type Found = Json | Absent;

/** A value of a call that is not yet evaluated. */
export type Operand = {
  /** Throws where there is nothing, with a word of why it must be there. */
  readonly value: (why?: string) => Json;
  readonly found: () => Found;
  /** As the caller of the function asks: what is absent is refused, or is found so. */
  readonly asked: () => Found;
  /** The value, if the template has it in it. */
  readonly literal: Json | undefined;
  /** Its path from the whole, as far as is known. */
  readonly path: () => readonly string[] | undefined;
};

/** A function of templates: how it is called and what it gives, in the words of docs. */
export type TemplateFunction = {
  readonly name: string;
  /** Its values, as docs show them. */
  readonly values: string;
  readonly takes: readonly [least: number, most: number];
  readonly is: string;
} &
  /** Who calls it counts the texts that it takes and gives; it counts what else it goes through. */
  (
    | { readonly compute: (values: readonly Json[], work: RenderWork) => Json }
    /** Evaluates as many of its values as it needs. */
    | { readonly choose: (operands: readonly Operand[], work: RenderWork) => Found }
  );
