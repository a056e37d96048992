import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { checkJobUser } from "../../../agent/doctor/check-job-user.ts";
import type { Found } from "../../../agent/doctor/finding.ts";
import { canChangeUsers } from "../../support/agent/given-job-users.ts";
import { testFolder } from "../../support/run/folder.ts";

/** Who is no root is told that, whatever else there is to say. */
const said = (words: string): string =>
  canChangeUsers ? words : "only root can start jobs as other users";

async function consult(flags: Readonly<Record<string, string>>): Promise<Found> {
  const config = readConfig(flags, {});
  const broker = new URL("http://127.0.0.1:1");
  return await checkJobUser({ config, broker, proxy: undefined, token: undefined, patienceMs: 1 });
}

describe("the doctor on the users of jobs", () => {
  test("says that jobs which run as the agent can read its token, and what to do", async () => {
    const { verdict, words, advice } = await consult({});
    expect(verdict).toBe("warning");
    expect(words).toContain("can read the runner's token");
    expect(advice).toContain("job-user = ");
  });

  test("judges the users that are given by what this process may do", async () => {
    const tokenFile = path.join(await testFolder(), "token");
    await writeFile(tokenFile, "secret", { mode: 0o600 });
    const flags = { "job-user": "59300-59301", "token-file": tokenFile };
    const nameless = "2 users of job-user have no name in /etc/passwd";
    expect((await consult(flags)).words).toContain(said(nameless));
    expect((await consult({ ...flags, groups: "actions=3" })).words).toContain(said("for 3 slots"));
    await chmod(tokenFile, 0o644);
    const open = await consult(flags);
    expect(open.verdict).toBe("failed");
    expect(open.words).toContain(said(`can read ${tokenFile}`));
  });
});

test("users that are somebody's are refused", () => {
  for (const given of ["0", "0-5", "65530-65540", "7-3", "1-5000", "nobody"]) {
    expect(() => readConfig({ "job-user": given }, {})).toThrow("--job-user must be a range");
  }
  expect(readConfig({ "job-user": "7" }, {}).jobUser).toEqual({ first: 7, last: 7 });
});
