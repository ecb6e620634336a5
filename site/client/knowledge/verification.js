/* What an object must be before anything believes it: size, then hash, then kind. */
import { isHash } from "./addresses.js";

/** The largest object this page reads, in bytes. */
export const LARGEST_OBJECT = 8 * 1024 * 1024;

/** A published file that is not what the manifest promised, or could not be had. */
export class KnowledgeError extends Error {
  name = "KnowledgeError";
}

/** @returns {{sha256: string, size: number}} the reference, checked in shape
    @throws {KnowledgeError} */
export function asReference(value) {
  const size = value?.size;
  const sized = Number.isSafeInteger(size) && size > 0 && size <= LARGEST_OBJECT;
  if (!sized || !isHash(value.sha256)) throw new KnowledgeError("Not a reference");
  return { sha256: value.sha256, size };
}

/**
 * Parses the bytes of an object once they are known to be the ones referred to.
 * @param {ArrayBuffer} bytes
 * @param {{sha256: string, size: number}} reference
 * @param {string} kind
 * @param {SubtleCrypto | undefined} subtle absent on plain http away from localhost; then a slower one is fetched
 * @throws {KnowledgeError}
 */
export async function verifiedObject(bytes, reference, kind, subtle) {
  if (bytes.byteLength !== reference.size) throw new KnowledgeError(`${kind}: size differs`);
  if ((await sha256Of(bytes, subtle)) !== reference.sha256) throw new KnowledgeError(`${kind}: hash differs`);
  const object = parsed(bytes, kind);
  if (object.kind !== kind) throw new KnowledgeError(`${kind}: another kind of object`);
  return object;
}

async function sha256Of(bytes, subtle) {
  if (!subtle) return (await import("./sha256.js")).sha256(new Uint8Array(bytes));
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @throws {KnowledgeError} for bytes that are not a JSON object in UTF-8 */
export function parsed(bytes, what) {
  let value;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new KnowledgeError(`${what}: not JSON`, { cause });
  }
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject) throw new KnowledgeError(`${what}: not an object`);
  return value;
}
