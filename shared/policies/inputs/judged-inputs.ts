import type { PolicyInput } from "../judge-policies.ts";

/** What policies read of a plan, and what of it nobody may read in their messages. */
export type JudgedInputs = {
  readonly inputs: readonly PolicyInput[];
  readonly secrets: readonly string[];
};

export type Tree = Readonly<Record<string, unknown>>;

export const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const treeOf = (value: unknown): Tree => (isTree(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];

/** A shorter text is in too many others: hidden in a message it would tell more than it hides. */
const leastSecret = 3;

/** The texts in a value, as they may stand in a message. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length < leastSecret ? [] : [value];
  if (typeof value === "number") return textsIn(String(value));
  if (Array.isArray(value)) return (value as unknown[]).flatMap(textsIn);
  return isTree(value) ? Object.values(value).flatMap(textsIn) : [];
}
