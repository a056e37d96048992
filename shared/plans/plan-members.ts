import { z } from "zod";

/**
 * Members that several kinds of plan share. A plan is stored and handed out verbatim; its schema only finds
 * members of the wrong type. Nothing is required, null is absent, and members unknown here are left alone,
 * so that a control plane of another version is not refused. What is marked as secret, and what no schema knows, is
 * hidden from those who may read plans but not their secrets (mask-plan.ts).
 */
export const text = z.string().nullish();
export const flag = z.boolean().nullish();
export const object = z.looseObject({}).nullish();
export const words = z.record(z.string(), z.string()).nullish();
export const texts = z.array(z.string()).nullish();

const secret = { secret: true };
export const secretText = text.meta(secret);
export const secretTexts = texts.meta(secret);
export const secretWords = words.meta(secret);

/** How a handler signs in to a cloud. */
export const cloudAuth = { aws_auth: object, azure_auth: object, gcp_auth: object };

/** How to sign in to a git server: a password or token, or a private key for ssh. */
const gitAuth = z
  .looseObject({
    username: secretText,
    password: secretText,
    token: secretText,
    ssh_private_key: secretText,
  })
  .nullish();

/** Where the sources of a plan lie. A tag, a commit and credentials are our own members. */
export const gitSource = z
  .looseObject({
    url: text,
    ref: text,
    path: text,
    recurse_submodules: flag,
    tag: text,
    commit: text,
    auth: gitAuth,
  })
  .nullish();

/** How to sign in to a registry. */
const registryAuth = z
  .looseObject({ username: secretText, password: secretText, token: secretText })
  .nullish();

/** An artifact in a registry: its address, or what is needed to reach it. */
const artifact = z
  .union([
    z.string(),
    z.looseObject({
      url: text,
      repository: text,
      tag: text,
      digest: text,
      path: text,
      plain_http: flag,
      auth: registryAuth,
    }),
  ])
  .nullish();

/** Ours: where what a job works on comes from, of any kind; one of the members is given. */
export const source = z
  .looseObject({
    git: gitSource,
    oci: artifact,
    /**
     * Base64 of a tar or zip archive, or that and the folder within that is meant; or the digest of one that the broker
     * keeps for the job.
     */
    archive: z
      .union([z.string(), z.looseObject({ contents: secretText, blob: text, path: text })])
      .meta(secret)
      .nullish(),
    /** A folder of the agent's host. */
    path: text,
  })
  .nullish();

/** Simulate, run nothing. */
export const sandboxMode = z
  .looseObject({
    enabled: flag,
    outputs: object,
    terraform: object,
    helm: object,
    kubernetes_manifest: object,
    pulumi: object,
    // What follows is ours: how a simulation goes.
    /** Nanoseconds, of the whole. */
    duration: z.int().nullish(),
    log_lines: texts,
    /** The phase, or the action's step, at which it fails. */
    fail_at: text,
    error: text,
    error_code: z.int().nullish(),
  })
  .nullish();
