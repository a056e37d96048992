import fc from "fast-check";
import { expect, test } from "vitest";
import { filesOfDocument } from "../../../shared/app-config/files-of-document.ts";
import { givenArchivesApi } from "../../support/apps/archives-api.ts";
import { anyLayout } from "../../support/apps/layouts/any-layout.ts";
import {
  checkAsArchive,
  layoutOptions,
  packLayout,
} from "../../support/apps/layouts/read-layout.ts";

const { setup } = await givenArchivesApi({ SVC_BRANDS: layoutOptions.brands.join() });
const packable = anyLayout.filter(({ fault }) => fault.isOfFolders !== true);

test("odd layouts are synced as archives and as documents, and refused where their fault is", async () => {
  const { send, sync } = await setup();
  for (const { sound, faulty } of fc.sample(packable, { seed: 7, numRuns: 5 })) {
    const { config } = await checkAsArchive(sound);
    const made = await send(packLayout(sound));
    expect(made).toMatchObject({ status: 201, body: { checksum: config?.checksum } });
    const again = await sync(filesOfDocument(config?.document ?? { metadata: { name: "" } }));
    expect(again).toMatchObject({ status: 200, body: { id: made.body.id } });
    const here = await checkAsArchive(faulty);
    const refused = await send(packLayout(faulty));
    expect(here.errors.length).toBeGreaterThan(0);
    expect(refused).toMatchObject({ status: 422, body: { errors: here.errors } });
  }
});
