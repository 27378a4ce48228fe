const chats = () => import("./chats.js");

/** @type {import("../routes.js").Route[]} */
export const ROUTES = [
  { pattern: "/", section: "chats", load: chats },
  { pattern: "/chats", section: "chats", load: chats },
  { pattern: "/chats/:room", section: "chats", load: chats },
  { pattern: "/why/:message", section: "chats", load: () => import("./why.js") },
];
