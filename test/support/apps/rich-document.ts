import { openConfigFolder } from "../../../cli/apps/open-config-folder.ts";
import { checkConfigFolder } from "../../../shared/app-config/check-config.ts";
import { filesOfDocument } from "../../../shared/app-config/files-of-document.ts";

/** The JSON document of a config that has every part, by the name of the app of tests. */
export async function richDocument(): Promise<Record<string, object>> {
  const { config } = await checkConfigFolder(await openConfigFolder("test/support/apps/rich-app"));
  if (config === undefined) throw new Error("the rich app is not valid");
  const metadata = { ...config.document.metadata, name: "shop" };
  return filesOfDocument({ ...config.document, metadata }) as Record<string, object>;
}
