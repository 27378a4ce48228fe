// For tsc only: the types of the packages that the scripts here were taken from.
import type { VNode } from "preact";

export { Fragment, h, render } from "preact";
export { useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, useComputed, useSignal, type Signal } from "@preact/signals";

export const html: (strings: TemplateStringsArray, ...values: unknown[]) => VNode<any>;
