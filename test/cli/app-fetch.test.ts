import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeFetchText } from "../../cli/apps/fetch-text.ts";
import type { FetchText } from "../../shared/app-config/fetched-text.ts";
import { startTextServer, type TextServer } from "../support/apps/start-text-server.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { testFolder } from "../support/run/folder.ts";

let server: TextServer;
let cli: CommandLine;
beforeAll(async () => {
  server = await startTextServer();
  cli = await startCommandLine();
});
beforeEach(() => {
  server.has.clear();
  server.asked.length = 0;
});

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const fetchHere = makeFetchText({ isPrivateAllowed: true, timeoutMs: 60_000 });
const whyNot = (found: Awaited<ReturnType<FetchText>>): string =>
  "detail" in found ? found.detail.replace("cannot be fetched: ", "") : "a text";
const redirects = (to: string) => (answer: ServerResponse) =>
  void answer.writeHead(302, { location: to }).end();

describe("a text of a URL", () => {
  test("is what the server has, after three redirects at most, asked for without credentials", async () => {
    server.has.set("/run.sh", "echo hello");
    for (const [from, to] of ["/1 /run.sh", "/2 /1", "/3 /2", "/4 /3"].map((one) => one.split(" ")))
      server.has.set(from ?? "", redirects(to ?? ""));
    expect(await fetchHere(`${server.url}/3`)).toEqual({
      text: "echo hello",
      sha256: digest("echo hello"),
    });
    const names = server.asked.flatMap(({ headers }) => Object.keys(headers));
    expect(new Set(names)).toEqual(
      new Set(["host", "accept", "accept-encoding", "user-agent", "connection"]),
    );
    const fourth = await fetchHere(`${server.url}/4`);
    expect(whyNot(fourth)).toBe("it is redirected more than 3 times");
    expect(fourth).toMatchObject({ code: "remote_contents" });
  });

  test.each([
    ["http://127.0.0.1/x", "it must begin with https://"],
    ["https://me:secret@127.0.0.1/x", "it must have no user name and no password"],
    ["https://me@127.0.0.1/x", "it must have no user name and no password"],
    ["https://127.0.0.1/x?X-Amz-Signature=1", "its parameter X-Amz-Signature looks like one"],
    [`https://127.0.0.1/${"x".repeat(2050)}`, "it has more than 2048 characters"],
    ["https://169.254.169.254/x", "at an address that is not public (link-local"],
  ])("is refused, as a redirect to it is: %s", async (url, words) => {
    expect(whyNot(await fetchHere(url))).toContain(words);
    server.has.set("/from", redirects(url));
    const led = await fetchHere(`${server.url}/from`);
    expect(whyNot(led)).toContain(words.replace(/^it /, "redirect 1 "));
    expect(server.asked).toHaveLength(1);
  });

  test("is refused where the server has it not, too much of it, or no text", async () => {
    server.has.set("/large", Buffer.alloc(2 ** 20 + 1, 97));
    server.has.set("/most", Buffer.alloc(2 ** 20, 97));
    server.has.set("/bytes", Buffer.from([0xff, 0xfe]));
    server.has.set("/packed", (answer) => {
      answer.setHeader("content-encoding", "gzip").end("x");
    });
    server.has.set("/broken", (answer) => {
      answer.writeHead(200, { "content-length": "10" }).write("x");
      answer.destroy();
    });
    server.has.set("/nowhere", (answer) => void answer.writeHead(302).end());
    server.has.set("/never", () => {});
    const why = async (at: string, fetch = fetchHere): Promise<string> =>
      whyNot(await fetch(`${server.url}${at}`));
    expect(await why("/a b")).toBe("it is no URL");
    expect(await why("/most")).toBe("a text");
    expect(await why("/large")).toBe("it has more than 1 MiB");
    expect(await why("/bytes")).toBe("is not a text in UTF-8");
    expect(await why("/packed")).toBe("its server sends it compressed, which was not asked for");
    expect(await why("/broken")).toMatch(/^its server (?:cannot be reached|broke off)/);
    expect(await why("/gone")).toBe("its server answers 404");
    expect(await why("/nowhere")).toBe("it is answered with 302 without a place");
    const hasty = makeFetchText({ isPrivateAllowed: true, timeoutMs: 200 });
    expect(await why("/never", hasty)).toBe("it did not come within 0.2 s");
  });

  test("is not fetched from addresses that are not public, by whichever of a name's", async () => {
    const addresses = ["93.184.215.14", "10.1.2.3"];
    const asked: string[] = [];
    const fetch = makeFetchText({
      isPrivateAllowed: false,
      resolve: (name) => {
        asked.push(name);
        return Promise.resolve(name === "split.example" ? addresses : ["127.0.0.1"]);
      },
    });
    const hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433"];
    for (const host of [...hosts, "split.example", "loop.example"])
      expect(whyNot(await fetch(`https://${host}:${server.port}/run.sh`))).toMatch(
        / is at an address that is not public .*--fetch-private/,
      );
    expect([asked, server.asked]).toEqual([["split.example", "loop.example"], []]);
  });
});

/** An app whose action's script is at a URL. */
async function givenFolder(name: string): Promise<string> {
  const folder = path.join(await testFolder(), name);
  await mkdir(path.join(folder, "actions"), { recursive: true });
  await writeFile(path.join(folder, "metadata.toml"), `name = "${name}"\n`);
  const script = `name = "run"\n[[steps]]\nname = "s"\ninline_contents = "${server.url}/run.sh"\n`;
  await writeFile(path.join(folder, "actions/run.toml"), script);
  return folder;
}

describe("a config with a URL in the place of a text", () => {
  test("is refused without --fetch, and from this host without --fetch-private", async () => {
    const folder = await givenFolder("refused");
    server.has.set("/run.sh", "true");
    const plain = await cli.run(`app validate ${folder}`);
    expect(plain.code).toBe(1);
    expect(plain.out).toMatch(
      /^actions\/run\.toml:4:1: remote_contents: inline_contents must be .*--fetch.*\n$/,
    );
    const near = await cli.run(`app validate ${folder} --fetch`);
    expect(near.code).toBe(1);
    expect(near.out).toMatch(
      /^actions\/run\.toml:4:1: remote_contents: https:.* cannot be fetched: 127\.0\.0\.1 is .*\n$/,
    );
    expect(server.asked).toEqual([]);
    expect(await cli.run(`app validate ${folder} --fetch-private`)).toMatchObject({ code: 2 });
    const told = await cli.run(`app validate ${folder} --fetch --fetch-private`);
    expect(told).toMatchObject({ code: 0, out: "" });
  });

  test("is synced with its text, and another text there is a change of its digest", async () => {
    const folder = await givenFolder("fetched");
    const sync = async (more = "") =>
      await cli.run(`app sync ${folder} --fetch --fetch-private${more}`);
    server.has.set("/run.sh", "echo one");
    expect(await sync()).toMatchObject({ code: 0 });
    const { out } = await cli.run("app config get fetched --document -o json");
    const sha256 = digest("echo one");
    expect(JSON.parse(out)).toMatchObject({
      document: {
        metadata: { fetched: [{ url: `${server.url}/run.sh`, sha256 }] },
        actions: [{ steps: [{ inline_contents: "echo one" }] }],
      },
    });
    const again = await sync();
    expect([again.out, again.err]).toEqual(["", "fetched: version 1 is already active.\n"]);
    server.has.set("/run.sh", "echo two");
    expect(await sync(" --dry-run")).toMatchObject({
      code: 0,
      out: `~ actions run (steps)\n~ metadata.fetched ${server.url}/run.sh (sha256)\n`,
    });
    server.has.set("/run.sh", "\necho {{ .svc.idd }}");
    const faulty = await sync();
    expect(faulty.code).toBe(1);
    expect(faulty.out).toMatch(/line 2 of the text: .*\(read from https:.*\/run\.sh\)\n$/);
  });
});
