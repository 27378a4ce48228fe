// The rooms that the host has, and which of them have something new.
import { computed, signal } from "../../vendor/index.js";

export const unread = signal(/** @type {ReadonlySet<string>} */ (new Set()));
export const hasUnread = computed(() => unread.value.size > 0);
