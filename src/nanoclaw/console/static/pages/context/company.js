// Whose context is shown: it stands in the address, unless it is that of the main agent group.
import { query, to } from "../../router.js";

export const company = () => query.value.get("company") ?? undefined;

/** @param {string} address */
export const withCompany = (address) => company() ? `${address}?company=${encodeURIComponent(company() ?? "")}` : address;

/** @param {string} file as product/pricing @param {string} [rest] */
export const addressOfFile = (file, rest = "") => {
  const [area, name] = file.split("/");
  return withCompany(to`/context/${area}/${name}` + rest);
};
