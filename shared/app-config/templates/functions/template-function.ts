import type { Json } from "../json-value.ts";
import type { RenderWork } from "../render-work.ts";
import type { Taint } from "../taint.ts";

/** Nothing that templates read has as many levels; the path of a variable that is set to what is below itself would. */
export const mostKeys = 64;

/** What a path leads to where there is nothing: the path from the whole, or only its end if that is all that is known. */
export class Absent {
  readonly path: readonly string[];
  readonly isWhole: boolean;

  constructor(path: readonly string[], isWhole: boolean) {
    this.path = path.slice(-mostKeys);
    this.isWhole = isWhole && path.length <= mostKeys;
  }
}

/** What an expression gives. */
export type Found = Json | Absent;

/** The same, and how sensitive it is. */
export type Evaluated<Value = Found> = { readonly found: Value; readonly taint: Taint };

/** A value of a call that is not yet evaluated. */
export type Operand = {
  /** Throws where there is nothing, with a word of why it must be there. */
  readonly value: (why?: string) => Evaluated<Json>;
  readonly found: () => Evaluated;
  /** As the caller of the function asks: what is absent is refused, or is found so. */
  readonly asked: () => Evaluated;
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
    | {
        readonly compute: (values: readonly Json[], work: RenderWork) => Json;
        /** How sensitive what it makes is, of one that only puts its values together; else it is so where any of them is. */
        readonly taintOf?: (values: readonly Json[], taints: readonly Taint[]) => Taint;
      }
    /** Evaluates as many of its values as it needs. What follows from one that is sensitive is so, too: its caller sees to it. */
    | { readonly choose: (operands: readonly Operand[], work: RenderWork) => Evaluated }
  );
