import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { type Config, givenAppsApi } from "./apps-api.ts";
import { tarEnd } from "./tar-entry.ts";

/** A broker, and orgs with an app whose configs come as archives. */
export async function givenArchivesApi(settings: Readonly<Record<string, string>> = {}) {
  const { call, db, setup: setupApps } = await givenAppsApi(settings);

  async function setup() {
    const { token, at, ...rest } = await setupApps();
    const send = (body: Buffer, { query = "", type = "application/gzip", headers = {} } = {}) =>
      call<Config>(`POST ${at}/configs/sync${query}`, {
        token,
        body,
        headers: { "content-type": type, ...headers },
      });
    const pack = (...parts: Buffer[]) => send(gzipSync(Buffer.concat([...parts, tarEnd])));
    /** What is wrong with an archive of these entries: files and codes. */
    const faults = async (...parts: Buffer[]) => {
      const { status, body } = await pack(...parts);
      expect(status).toBe(422);
      return body.errors?.map(({ file, code }) => [file, code]);
    };
    return { token, at, send, pack, faults, ...rest };
  }

  return { setup, db };
}
