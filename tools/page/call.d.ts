// What a call of the API takes and gives, worked out from its description: static/call.js is checked against it.
import type { paths } from "api";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The addresses that can be asked with a method. */
export type Path<M extends Method> = { [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never }[keyof paths];

type Operation<M extends Method, P> = P extends keyof paths ? (paths[P] extends { [K in M]: infer O } ? O : never) : never;

type Nothing = Record<never, never>;
type InPath<O> = O extends { parameters: { path: infer V } } ? { [K in keyof V]: string | number } : Nothing;
type Asked<O> = O extends { parameters: { query?: infer V } } ? NonNullable<V> : never;
// What is left undefined is left out of the address.
type InQuery<O> = [Asked<O>] extends [never] ? Nothing : { [K in keyof Asked<O>]?: Asked<O>[K] | undefined };

/** The ids in the address, and what may stand after its question mark. */
export type Params<M extends Method, P> = InPath<Operation<M, P>> & InQuery<Operation<M, P>>;

export type Body<M extends Method, P> =
  Operation<M, P> extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;

type Told<R> = R extends { content: { "application/json": infer A } } ? A : never;

export type Given<M extends Method, P> =
  Operation<M, P> extends { responses: infer R } ? { [S in Exclude<keyof R, "default">]: Told<R[S]> }[Exclude<keyof R, "default">] : never;
