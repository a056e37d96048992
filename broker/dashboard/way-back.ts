import type { Page } from "./page.ts";

/**
 * Where "Back" leads from an address that shows no page: to the page of the thing that it is about, or, where that is not there
 * (`isGone`), to the list of such things.
 */
export function wayBack(pages: readonly Page[], address: string, isGone: boolean): string {
  const parts = address.split("/").filter((part) => part !== "");
  for (let length = parts.length - 1; length > 0; length--) {
    const above = parts.slice(0, length);
    const page = pages.find(({ path }) => fits(path, above));
    if (page !== undefined && !(isGone && page.path.includes("{"))) return `/${above.join("/")}`;
  }
  return "/";
}

function fits(path: string, parts: readonly string[]): boolean {
  const pattern = path.split("/").slice(1);
  return (
    pattern.length === parts.length &&
    pattern.every((part, at) => part.startsWith("{") || part === parts[at])
  );
}
