import type { Broker } from "../broker.ts";
import type { App, AppContext } from "../http/app-types.ts";
import { openAssets } from "./assets.ts";
import { openLive } from "./live/open-live.ts";
import { openDownloads } from "./open-downloads.ts";
import { makeLostPage, openPages } from "./open-pages.ts";
import { actions, pages } from "./pages.ts";
import { openProvider } from "./session/open-provider.ts";
import { openSession } from "./session/open-session.ts";
import { openSignIn } from "./session/open-sign-in.ts";

/** Opens the pages for operators at `/`; answers the page for an address that is none. */
export function openDashboard(app: App, broker: Broker): (c: AppContext) => Promise<Response> {
  openAssets(app, broker);
  openSignIn(app, broker);
  openProvider(app, broker);
  openSession(app, broker);
  openLive(app, broker);
  openDownloads(app, broker);
  openPages(app, broker, { pages, actions });
  return makeLostPage(app, broker, pages);
}
