// Calls of the HTTP API. The addresses are those of its description, which tsc knows: get("/api/tasks/{task}", { task: 7 }).
// Each call gives its answer or throws an error made for the person.
import { authorized } from "./session.js";
import { t } from "./texts.js";

const GIVE_UP_AFTER = 30_000;

/** @param {string} path @param {RequestInit} [options] */
async function send(path, options = {}) {
  let response;
  try {
    const headers = { ...options.headers, ...authorized() };
    response = await fetch(path, { signal: AbortSignal.timeout(GIVE_UP_AFTER), ...options, headers });
  } catch {
    throw Object.assign(new Error(t("console-error-network")), { unreachable: true });
  }
  // The link was changed: loading the page again shows how to get a new one.
  if (response.status === 401) location.reload();
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw Object.assign(new Error(answer.error ?? t("console-error-server")), { code: answer.code });
}

/** The ids go into the address, the rest after its question mark. @param {string} path @param {Record<string, unknown>} params */
export function addressOf(path, params) {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const id = encodeURIComponent(String(rest.get(name)));
    rest.delete(name);
    return id;
  });
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)]));
  return rest.size ? `${filled}?${query}` : filled;
}

/** @param {string} method @param {string} path @param {object} params @param {unknown} [body] @returns {Promise<any>} */
async function call(method, path, params, body) {
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": body instanceof Blob ? "application/octet-stream" : "application/json" };
  const sent = body === undefined || body instanceof Blob ? body : JSON.stringify(body);
  const response = await send(addressOf(path, { ...params }), { method, headers, body: sent });
  return response.json().catch(() => ({}));
}

/** @import { Body, Given, Params, Path } from "call" */

/** @template {Path<"get">} P @param {P} path @param {Params<"get", P>} params @returns {Promise<Given<"get", P>>} */
export const get = (path, params) => call("GET", path, params);

/** @template {Path<"post">} P @param {P} path @param {Params<"post", P>} params @param {Body<"post", P>} [body] @returns {Promise<Given<"post", P>>} */
export const post = (path, params, body) => call("POST", path, params, body);

/** A file as the body. @template {Path<"post">} P @param {P} path @param {Params<"post", P>} params @param {Blob} file @returns {Promise<Given<"post", P>>} */
export const upload = (path, params, file) => call("POST", path, params, file);

/** @template {Path<"put">} P @param {P} path @param {Params<"put", P>} params @param {Body<"put", P>} [body] @returns {Promise<Given<"put", P>>} */
export const put = (path, params, body) => call("PUT", path, params, body);

/** @template {Path<"patch">} P @param {P} path @param {Params<"patch", P>} params @param {Body<"patch", P>} [body] @returns {Promise<Given<"patch", P>>} */
export const patch = (path, params, body) => call("PATCH", path, params, body);

/** @template {Path<"delete">} P @param {P} path @param {Params<"delete", P>} params @returns {Promise<Given<"delete", P>>} */
export const remove = (path, params) => call("DELETE", path, params);

/** What is no JSON: a file, a picture. @param {string} path @param {RequestInit} options */
export const readBlob = async (path, options) => (await send(path, options)).blob();
