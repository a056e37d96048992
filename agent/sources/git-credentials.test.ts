import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNotOwn } from "../files/read-own-file.ts";
import { openGitCredentials, parseGitCredentials } from "./git-credentials.ts";

const parse = (text: string) => parseGitCredentials(text, "/etc/svc/git");

describe("a line of git-credentials", () => {
  test("is of a server by its host and port, with the file of a token or of a key", () => {
    const lines = [
      "# who signs in where",
      "github.com x-access-token token-file=github.token",
      "",
      "git.example.com:8443 build   token-file=/run/secrets/git",
      "http://127.0.0.1:3000 me token-file=/t",
      "git.example.com git ssh-key=/k",
      "git.example.com:2222 git ssh-key=key",
      "git.example.com:443 git ssh-key=key known-hosts=hosts",
    ];
    expect(parse(lines.join("\n"))).toEqual([
      {
        kind: "token",
        origin: "https://github.com",
        user: "x-access-token",
        file: "/etc/svc/github.token",
      },
      {
        kind: "token",
        origin: "https://git.example.com:8443",
        user: "build",
        file: "/run/secrets/git",
      },
      { kind: "token", origin: "http://127.0.0.1:3000", user: "me", file: "/t" },
      { kind: "ssh", host: "git.example.com", port: 22, user: "git", file: "/k" },
      { kind: "ssh", host: "git.example.com", port: 2222, user: "git", file: "/etc/svc/key" },
      {
        kind: "ssh",
        host: "git.example.com",
        port: 443,
        user: "git",
        file: "/etc/svc/key",
        hostsFile: "/etc/svc/hosts",
      },
    ]);
  });

  test.each([
    ["github.com me", "a line is HOST USER token-file=PATH"],
    ["github.com me password=abc", "a line is HOST USER token-file=PATH"],
    ["github.com me token-file=/a b", "a line is HOST USER token-file=PATH"],
    ["github.com me token-file=/a known-hosts=/b", "a line is HOST USER token-file=PATH"],
    ["github.com me ssh-key=/a hosts=/b", "a line is HOST USER token-file=PATH"],
    ["github.com me ssh-key=/a known-hosts=/b c", "a line is HOST USER token-file=PATH"],
    ["https://github.com/acme me token-file=/a", "the first word is no server"],
    ["me@github.com me token-file=/a", "the first word is no server"],
    ["*.github.com me ssh-key=/a", "the first word is no server"],
    ["http://github.com me ssh-key=/a", "a key is for ssh"],
    ["github.com -oProxyCommand=x ssh-key=/a", "the user is not a name"],
    ["github.com me ssh-key=/a'b", "the path has a quote"],
  ])("is refused as %j, with its number", (line, words) => {
    expect(() => parse(`\n${line}`)).toThrow(`/etc/svc/git, line 2: ${words}`);
  });

  test("is of a server that has no other", () => {
    const twice = "a.example.com me token-file=/a\nhttps://a.example.com:443 you token-file=/b";
    expect(() => parse(twice)).toThrow("line 2: there is a line for https://a.example.com already");
  });
});

describe("files of secrets", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "svc-credentials-"));
  });
  afterAll(async () => await rm(folder, { recursive: true }));
  const at = (name: string): string => path.join(folder, name);
  const open = async (line: string) => {
    await writeFile(at("git"), `${line}\n`, { mode: 0o600 });
    return await openGitCredentials(at("git"));
  };

  test("are read, and refused where another user may read them", async () => {
    await writeFile(at("token"), "secret-of-tests\n", { mode: 0o600 });
    const line = "github.com me token-file=token";
    expect(await open(line)).toMatchObject([{ secret: "secret-of-tests", file: at("token") }]);
    await chmod(at("token"), 0o640);
    const words = `other users may read or write ${at("token")}: chmod 600 ${at("token")}`;
    await expect(open(line)).rejects.toThrow(words);
    await chmod(at("git"), 0o604);
    await expect(openGitCredentials(at("git"))).rejects.toThrow("other users may read or write");
    await chmod(at("git"), 0o600);
  });

  test("of a server's keys may be read by others, not written, and have one", async () => {
    await writeFile(at("key"), "a key\n", { mode: 0o600 });
    await writeFile(at("hosts"), "github.com ssh-ed25519 AAAA\n", { mode: 0o644 });
    const line = "github.com git ssh-key=key known-hosts=hosts";
    expect(await open(line)).toMatchObject([{ knownHosts: "github.com ssh-ed25519 AAAA\n" }]);
    await chmod(at("hosts"), 0o664);
    await expect(open(line)).rejects.toThrow(`other users may write ${at("hosts")}: chmod 644`);
    await writeFile(at("hosts"), "# none\n");
    await chmod(at("hosts"), 0o600);
    await expect(open(line)).rejects.toThrow("has no key of a server");
  });

  test.each([
    ["0:10001 440", "fine"], // as fsGroup gives it to a pod
    ["0:10001 460", "other users may read or write /f"],
    ["0:10001 444", "other users may read or write /f"],
    ["0:7 440", "other users may read or write /f"],
    ["0:0 440", "other users may read or write /f"],
    ["10001:10001 440", "other users may read or write /f"],
    ["7:10001 400", "/f belongs to another user"],
  ])("of %s are %s for user 10001 of the groups 0 and 10001", (told, words) => {
    const [uid = 0, gid = 0, mode = 0] = told
      .split(/[: ]/)
      .map((one, at) => Number.parseInt(one, at === 2 ? 8 : 10));
    const reader = { file: "/f", isPublic: false, user: 10_001, groups: [0, 10_001] };
    const why = whyNotOwn({ isFile: () => true, mode, uid, gid }, reader);
    expect(why ?? "fine").toContain(words);
  });

  test("are refused where they are not there, empty or no files", async () => {
    await writeFile(at("empty"), "\n", { mode: 0o600 });
    await expect(open("github.com me token-file=absent")).rejects.toThrow("(ENOENT)");
    await expect(open("github.com me token-file=empty")).rejects.toThrow("is empty");
    await expect(open("github.com me ssh-key=.")).rejects.toThrow("is no file");
  });
});
