import { describe, expect, test } from "vitest";
import { platformOf, shownPlatform } from "./base-image.ts";
import { expandWords } from "./expand-words.ts";
import { readStages } from "./read-stages.ts";

const host = platformOf("x64");
const secrets = ["npm_token"];
const read = (text: string, target = "", buildArgs: Readonly<Record<string, string>> = {}) =>
  readStages(text, { target, buildArgs, secrets, host, plainHost: "registry.test:5000" });
const imagesOf = (...given: Parameters<typeof read>) =>
  read(...given).bases.map(({ reference, platform, name, line }) => [
    `${reference.origin}/${reference.repository}`,
    reference.digest ?? reference.tag,
    shownPlatform(platform),
    name,
    line,
  ]);

describe("a Dockerfile's images", () => {
  test("are those of its stages up to the one that is wanted, by their whole names", () => {
    const text = [
      "# escape=`",
      "ARG VERSION=3.1 OTHER='x y'",
      "ARG IMAGE=alpine:${VERSION}",
      "FROM --platform=linux/arm64/v8 `",
      "  # within",
      "  $IMAGE AS Build",
      "RUN --mount=type=bind,from=ghcr.io/acme/tools:1,target=/t make",
      "FROM build",
      "COPY --chown=1 --from=0 /a /b",
      "COPY --from=BUILD /a /b",
      "COPY --from=registry.test:5000/a/b /c /d",
      "FROM scratch AS never",
      "COPY --from=nobody/needs:this / /",
    ].join("\n");
    const hub = "https://registry-1.docker.io/library/alpine";
    expect(imagesOf(text, "1")).toEqual([
      [hub, "3.1", "linux/arm64/v8", "docker.io/library/alpine:3.1-linux-arm64-v8", 4],
      ["https://ghcr.io/acme/tools", "1", "linux/amd64", "ghcr.io/acme/tools:1", 7],
      [
        "http://registry.test:5000/a/b",
        "latest",
        "linux/amd64",
        "registry.test:5000/a/b:latest",
        11,
      ],
    ]);
    const lines = read(text, "1", { VERSION: "4" }).text.split("\n");
    expect(lines.slice(3, 11)).toEqual([
      "FROM docker.io/library/alpine:4-linux-arm64-v8 AS build",
      "",
      "",
      "RUN --mount=type=bind,from=ghcr.io/acme/tools:1,target=/t make",
      "FROM build",
      "COPY --chown=1 --from=0 /a /b",
      "COPY --from=BUILD /a /b",
      "COPY --from=registry.test:5000/a/b:latest /c /d",
    ]);
  });

  test("by a digest have a name that tells it, and are there once", () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const text = `FROM a.example/b@${digest}\nCOPY --from=a.example/b@${digest} / /\n`;
    const name = `a.example/b:sha256-${"a".repeat(64)}`;
    expect(imagesOf(text)).toEqual([["https://a.example/b", digest, "linux/amd64", name, 1]]);
    expect(read(text).text).toBe(`FROM ${name}\nCOPY --from=${name} / /\n`);
  });

  test.each([
    ["FROM $NONE", "", "config_invalid", 1],
    ["# nothing", "", "config_invalid", undefined],
    ["RUN x\nFROM a", "", "config_invalid", 1],
    ["FROM a b", "", "config_invalid", 1],
    ["FROM --platform=$X a", "", "config_invalid", 1],
    ["FROM --other a", "", "config_invalid", 1],
    ["FROM scratch\nRUN --security=insecure x", "", "config_invalid", 2],
    ["FROM A/B:c", "", "config_invalid", 1],
    ["FROM a AS one", "two", "not_found", undefined],
    ["FROM a AS one", "1", "not_found", undefined],
  ])("of %j for %j are told as %s", (text, target, kind, line) => {
    expect(() => read(text, target)).toThrow(
      expect.objectContaining({ class: kind, line }) as Error,
    );
  });

  test("are not looked for in the text of a script", () => {
    const text = "FROM scratch\nRUN <<EOF\nFROM x\nCOPY --from=y / /\nEOF\nCOPY --from=z/z / /\n";
    expect(imagesOf(text).map(([, , , name]) => name)).toEqual(["docker.io/z/z:latest"]);
  });
});

test.each([
  ["a$X-${X}b", "a1-1b"],
  ["${NONE:-$X}${EMPTY:-2}${EMPTY-3}", "12"],
  ["${X:+4}${NONE:+5}${EMPTY+6}${EMPTY:+7}", "46"],
  ["'$X' \"$X\" \\$X $", "$X 1 $X $"],
  ["${X", "${X"],
])("in %j variables have their values", (text, shown) => {
  const variables = new Map([
    ["X", "1"],
    ["EMPTY", ""],
  ]);
  expect(expandWords(text, variables)).toBe(shown);
});

test.each([
  ["RUN make", false],
  ["RUN --mount=type=secret,id=a,target=/b --mount=type=tmpfs,target=/t make", false],
  ["RUN --mount=target=/src make", true],
  ["RUN --mount make", true],
  ["RUN --mount=type=bind,target=/src make", true],
  ["RUN --mount=type=secret,id=a --network=none \\\n --mount=from=one,target=/t make", true],
  ["RUN --mount=type=cache,target=/t make", true],
  ["RUN --mount=type=ssh make", true],
  ["RUN --mount=type=secret,type=bind make", true],
  ["RUN --mount=type=$T,target=/t make", true],
  ['RUN --mount=type="bind",target=/t make', true],
  ["ONBUILD RUN --mount=from=nobody/made:this,target=/t make", true],
])("of %j it is told whether its mounts are other than secrets", (line, isOther) => {
  expect(read(`FROM scratch AS one\n${line}\n`).hasOtherMounts).toBe(isOther);
});

describe("the secrets that a Dockerfile mounts", () => {
  const run = (mount: string) =>
    read(`FROM scratch\nRUN --mount=${mount} \\\n  --network=none true`).text;

  test("have to be given where it requires them", () => {
    expect(run("type=secret,id=npm_token,required")).toContain(
      "--mount=type=secret,id=npm_token,required=true",
    );
    expect(run("type=secret,id=other")).toContain("--mount=type=secret,id=other");
    expect(run("type=secret,id=other,required=false")).toContain("required=false");
    expect(run("type=cache,id=other,required")).toContain("type=cache,id=other,required");
    for (const mount of [
      "type=secret,id=other,required",
      "id=other,type=secret,required=true,target=/s",
      "required,type=secret,target=/run/other",
    ])
      expect(() => run(mount)).toThrow(
        expect.objectContaining({
          class: "config_invalid",
          line: 2,
          message: expect.stringContaining("RUN requires the secret other, which") as string,
        }),
      );
  });
});
