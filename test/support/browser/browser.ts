import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { tool } from "../../tools/find-tool.ts";
import { afterFile } from "../run/after-file.ts";

let opened: Promise<Browser> | undefined;

/** Debian's Chromium, one for a file. */
async function openBrowser(): Promise<Browser> {
  opened ??= chromium.launch({
    executablePath: tool("chromium"),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
  });
  return await opened;
}

afterFile(async () => {
  await (await opened)?.close();
  opened = undefined;
});

/** A browser of its own that is signed in, with everything that went wrong in it. */
export type SignedIn = {
  readonly page: Page;
  /** What the console and the page's policy complained of; must stay empty. */
  readonly complaints: string[];
};

/** Opens a page as whoever has the link; what it complains of is gathered. */
export async function openPage(
  link: string,
  options: BrowserContextOptions = {},
): Promise<SignedIn> {
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(link);
  if (new URL(link).searchParams.has("link")) await page.getByRole("button").click();
  return { page, complaints };
}

/** One page for many tests, opened by the first of them. */
export function openOnce(
  link: () => Promise<string>,
  options: BrowserContextOptions = {},
): () => Promise<SignedIn> {
  let open: Promise<SignedIn> | undefined;
  return async () => {
    open ??= link().then(async (address) => await openPage(address, options));
    return await open;
  };
}

/** What axe finds wrong with the page, one line each. It is evaluated, as the page's policy lets no script in. */
export async function accessFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${help}: ${html} (${failureSummary})`),
  );
}

/** By how many pixels the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}
