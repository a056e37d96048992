/** What a list answers that is an array unless a cursor is given: as a page, whatever it is. */
export function listed<Item>(
  answer:
    | readonly Item[]
    | { readonly items: readonly Item[]; readonly next_cursor: string | null },
): { readonly items: readonly Item[]; readonly next_cursor: string | null } {
  return "next_cursor" in answer ? answer : { items: answer, next_cursor: null };
}

/** The query of such a list which answers a page. */
export const pageAsked = <Asked extends { readonly cursor?: string }>(asked: Asked) => ({
  limit: 50,
  ...asked,
  cursor: asked.cursor ?? "",
});
