import { createHash, randomBytes } from "node:crypto";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Answered, givenDevRegistry } from "../../support/registry/given-dev-registry.ts";

const mebibyte = 2 ** 20;
const { host, folder, orgId, ask, tokenFor, restart } = await givenDevRegistry({
  mostBytes: 2 * mebibyte,
  mostOpen: 4,
});
const sha256 = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const codeOf = ({ status, body }: Answered) => {
  const { errors } = JSON.parse(body.toString()) as { errors: { code: string }[] };
  return [status, errors[0]?.code];
};
const at = (name: string) => `/v2/${orgId}/${name}`;

async function begin(name: string): Promise<string> {
  const begun = await ask(`POST ${at(name)}/blobs/uploads/`);
  expect(begun.status).toBe(202);
  return String(begun.headers["location"]);
}

/** Sends the head of a request and some of its body, and leaves it at that. */
function sendSome(head: readonly string[], some: Uint8Array): Socket {
  const [address = "", port] = host.split(":");
  const socket = connect(Number(port), address);
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(some);
  return socket;
}

describe("an upload to the registry of svc dev", () => {
  test("goes on where its connection broke, and is no blob before it is whole", async () => {
    const bytes = randomBytes(mebibyte);
    const half = bytes.subarray(0, mebibyte / 2);
    const digest = sha256(bytes);
    const upload = await begin("cut");
    const known = await ask(`PATCH ${upload}`, { body: half.subarray(0, 1000) });
    expect([known.status, known.headers["range"]]).toEqual([202, "0-999"]);
    const rest = bytes.subarray(1000);
    const header = { "content-range": `500-${mebibyte - 1}` };
    const early = await ask(`PATCH ${upload}`, { body: bytes.subarray(500), headers: header });
    expect([...codeOf(early), early.headers["range"]]).toEqual([
      416,
      "BLOB_UPLOAD_INVALID",
      "0-999",
    ]);
    expect((await ask(`HEAD ${at("cut")}/blobs/${digest}`)).status).toBe(404);
    const other = await ask(`GET ${upload.replace("/cut/", "/another/")}`);
    expect(codeOf(other)).toEqual([404, "BLOB_UPLOAD_UNKNOWN"]);
    const ended = await ask(`PUT ${upload}?digest=${digest}`, {
      body: rest,
      headers: { "content-range": `1000-${mebibyte - 1}` },
    });
    expect(ended.status).toBe(201);
    const back = await ask(`GET ${at("cut")}/blobs/${digest}`);
    expect(back.body.equals(bytes)).toBe(true);
  });

  test("keeps what came before its connection broke, of whoever may push there", async () => {
    const upload = await begin("half");
    const bytes = randomBytes(5000);
    const foreign = await ask(`PATCH ${upload}`, { body: bytes, scopes: [] });
    expect([foreign.status, (await ask(`GET ${upload}`)).headers["range"]]).toEqual([401, "0-0"]);
    const token = await tokenFor([`repository:${orgId}/half:push`]);
    const head = [`PATCH ${upload} HTTP/1.1`, `host: ${host}`, "content-length: 5000"];
    head.push(`authorization: Bearer ${token}`);
    const socket = sendSome(head, bytes.subarray(0, 3000));
    await expect.poll(async () => (await ask(`GET ${upload}`)).headers["range"]).toBe("0-2999");
    const rest = { body: bytes.subarray(3000), headers: { "content-range": "3000-4999" } };
    const put = async () => (await ask(`PUT ${upload}?digest=${sha256(bytes)}`, rest)).status;
    expect(await put()).toBe(409);
    socket.destroy();
    await expect.poll(put).toBe(201);
  });

  test("of another digest, too many bytes or too many others is refused", async () => {
    const wrong = await ask(
      `POST ${at("bad")}/blobs/uploads/?digest=${sha256(Buffer.from("other"))}`,
      { body: "this" },
    );
    expect(codeOf(wrong)).toEqual([400, "DIGEST_INVALID"]);
    const large = randomBytes(2 * mebibyte + 1);
    const upload = await begin("bad");
    expect(codeOf(await ask(`PATCH ${upload}`, { body: large }))).toEqual([413, "SIZE_INVALID"]);
    expect((await ask(`DELETE ${upload}`)).status).toBe(204);
    const begun = [];
    for (let count = 0; count < 4; count++) begun.push(await begin("many"));
    const refused = await ask(`POST ${at("many")}/blobs/uploads/`);
    expect(codeOf(refused)).toEqual([429, "TOOMANYREQUESTS"]);
    for (const one of begun) expect((await ask(`DELETE ${one}`)).status).toBe(204);
    const manifest = JSON.stringify({
      schemaVersion: 2,
      annotations: { a: "a".repeat(4 * mebibyte) },
    });
    const headers = { "content-type": "application/vnd.oci.image.manifest.v1+json" };
    const pushed = await ask(`PUT ${at("bad")}/manifests/one`, { body: manifest, headers });
    expect(codeOf(pushed)).toEqual([413, "SIZE_INVALID"]);
  });

  test("that nobody goes on with is gone at the next start, with what was being written", async () => {
    const upload = await begin("left");
    const kept = await begin("kept");
    const [first] = (await readdir(path.join(folder, "uploads"))).filter((name) =>
      name.endsWith(upload.split("/").at(-1) ?? "-"),
    );
    await utimes(path.join(folder, "uploads", first ?? ""), 0, 0);
    await writeFile(path.join(folder, "temporary", "half"), "half");
    await restart();
    expect(await readdir(path.join(folder, "temporary"))).toEqual([]);
    expect((await ask(`GET ${upload}`)).status).toBe(404);
    expect((await ask(`GET ${kept}`)).status).toBe(204);
    expect((await ask(`DELETE ${kept}`)).status).toBe(204);
  });
});

describe("whoever comes to the registry of svc dev", () => {
  test("needs a token that opens the repository, and mounts nothing that it may not read", async () => {
    const body = Buffer.from("a blob of another");
    const pushed = await ask(`POST ${at("own")}/blobs/uploads/?digest=${sha256(body)}`, { body });
    expect(pushed.status).toBe(201);
    const path_ = `${at("own")}/blobs/${sha256(body)}`;
    const nobody = await ask(`GET ${path_}`, { scopes: [] });
    expect(codeOf(nobody)).toEqual([401, "UNAUTHORIZED"]);
    expect(nobody.headers["www-authenticate"]).toContain(
      `service="${host}",scope="repository:${orgId}/own:pull"`,
    );
    const elsewhere = [`repository:${orgId}/other:pull`];
    const refused = await ask(`GET ${path_}`, { scopes: elsewhere });
    expect(refused.headers["www-authenticate"]).toContain('error="insufficient_scope"');
    const push = `repository:${orgId}/other:pull,push`;
    const mount = `POST ${at("other")}/blobs/uploads/?mount=${sha256(body)}&from=${orgId}/own`;
    const begun = await ask(mount, { scopes: [push] });
    expect(begun.status).toBe(202);
    expect((await ask(`DELETE ${String(begun.headers["location"])}`)).status).toBe(204);
    const both = [push, `repository:${orgId}/own:pull`];
    expect((await ask(mount, { scopes: both })).status).toBe(201);
  });

  test("is told what is wrong with names, tags and digests", async () => {
    const wrong = [
      [`GET /v2/${orgId}/Upper/tags/list`, 400, "NAME_INVALID"],
      [`GET /v2/${orgId}/../up/tags/list`, 400, "NAME_INVALID"],
      [`GET ${at("none")}/tags/list`, 404, "NAME_UNKNOWN"],
      [`GET ${at("none")}/manifests/.tag`, 400, "TAG_INVALID"],
      [`GET ${at("none")}/blobs/sha256:abc`, 400, "DIGEST_INVALID"],
      [`PUT ${at("none")}/tags/list`, 405, "UNSUPPORTED"],
    ] as const;
    const scopes = [`repository:${orgId}/none:pull,push`];
    for (const [what, ...answer] of wrong)
      expect([what, codeOf(await ask(what, { scopes }))]).toEqual([what, answer]);
  });
});
