import type { Change, Expression } from "./parse-pipeline.ts";

/** A piece of a text: what stays as it is, or an action of ours. */
export type TemplateNode =
  | { readonly kind: "text"; readonly text: string }
  | (Statement & { readonly kind: "output" })
  | (Statement & { readonly kind: "set"; readonly slots: readonly number[] })
  | {
      readonly kind: "call";
      readonly called: TemplateDefinition;
      readonly expression: Expression | undefined;
    }
  | { readonly kind: "block"; readonly branches: readonly TemplateBranch[] };

type Statement = { readonly expression: Expression; readonly changes: Change | undefined };

/** One way through a block; the first whose expression holds is taken. */
export type TemplateBranch = {
  readonly word: "if" | "with" | "range" | "else";
  /** None of an `else`. */
  readonly expression: Expression | undefined;
  /** Of the variables that its head sets. */
  readonly slots: readonly number[];
  /** Of its dot, where it has one of its own. */
  readonly dot: number | undefined;
  readonly nodes: TemplateNode[];
};

/** A template that a text defines: `{{ define "name" }}`. */
export type TemplateDefinition = {
  readonly name: string;
  /** Where it is called first. */
  readonly calledAt: number;
  /** Where it is defined, if it is. */
  at: number | undefined;
  /** Of its dot; that of the whole, where all calls give it that. */
  dot: number;
  readonly nodes: TemplateNode[];
  readonly calls: TemplateDefinition[];
};
