import type { PublicUrl } from "../public-url.ts";

/** The dashboard's page of each thing that an event links to. */
const pageOf = {
  org: () => "/",
  runner: (id: string) => `/runners/${id}`,
  install: (id: string) => `/installs/${id}`,
  workflow: (id: string) => `/workflows/${id}`,
} as const satisfies Readonly<Record<string, (id: string) => string>>;

/** The URLs of an event's links, whose values are ids. */
export function linksOf(publicUrl: PublicUrl, links: unknown): Readonly<Record<string, string>> {
  if (typeof links !== "object" || links === null) return {};
  const base = publicUrl.read();
  return Object.fromEntries(
    Object.entries(links as Record<string, string>).flatMap(([name, id]) => {
      const page = pageOf[name as keyof typeof pageOf]; // undefined for any other name
      return page === undefined ? [] : [[name, base + page(id)]];
    }),
  );
}
