// What changes by itself: the time that is left, or that something has taken so far.
import { useEffect, useState } from "./vendor/index.js";

/** Redraws the component each second while it `goes`. Returns the time. @param {boolean} [goes] */
export function useNow(goes = true) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!goes) return undefined;
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, [goes]);
  return now;
}
